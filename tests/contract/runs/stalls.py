"""Agents that would stop or stall a suite, by accident or on purpose: a program for each way.

All print an answer first, so that what they do afterwards is all that is wrong with them. `out.txt` is what their case
looks for.
"""

from __future__ import annotations

_DEEP = """
for _ in range({levels}):
    os.mkdir({name!r})
    os.chdir({name!r})
"""

STALLS = {
    "sleeps": "time.sleep(1000)",
    "sleeps_deaf": "[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; time.sleep(1000)",
    "stops_itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "kills_itself": "os.kill(os.getpid(), signal.SIGKILL)",
    "kills_its_parent": "os.kill(os.getppid(), signal.SIGKILL); time.sleep(1)",
    "stops_its_parent": "os.kill(os.getppid(), signal.SIGSTOP); time.sleep(1)",
    "kills_all": "os.kill(-1, signal.SIGKILL)",
    "keeps_the_output_open": "os.fork() or (os.setsid(), time.sleep(1000))",
    "prints_without_end": "while True: print('x' * 10000)",
    "prints_one_long_line": "sys.stdout.write('x' * 900000)",
    "prints_any_bytes": "sys.stdout.buffer.write(bytes(range(256)) * 400)",
    "prints_escapes": "print('\\x1b]0;x\\x07\\x1b[2J\\r\\u202e' * 1000)",
    "prints_paths_of_others": "print('Permission denied:', *(f'/proc/{n}/root/x' for n in range(1, 300)), '/' * 9000)",
    "looks_at_all_processes": "os.system('ls -la /proc/1 /proc/1/cwd /proc/1/root /root/.ssh; ps aux')",
    "starts_many": "while True:\n    try: os.fork()\n    except OSError: time.sleep(.01)",
    "takes_memory": "b = []\nwhile True: b.append(bytearray(50_000_000))",
    "fills_the_disk": "f = open('big', 'wb')\nwhile True: f.write(b'x' * 1_000_000); f.flush()",
    "leaves_a_sparse_file": "os.truncate(os.open('out.txt', os.O_CREAT | os.O_RDWR), 19_000_000)",
    "leaves_an_enormous_sparse_file": "os.ftruncate(os.open('out.txt', os.O_CREAT | os.O_RDWR), 50_000_000_000)",
    "leaves_many_files": "[open(f'f{n}', 'w').close() for n in range(20_000)]",
    "leaves_a_file_of_many_names": "open('big', 'w').write('x' * 100_000); "
    "[os.link('big', f'l{n}') for n in range(2_000)]; time.sleep(3)",
    "leaves_deep_folders": _DEEP.format(levels=3000, name="d"),
    "leaves_long_names": _DEEP.format(levels=60, name="n" * 250),
    "leaves_names_in_any_bytes": "[open(b'a\\xff\\n' + bytes([n]), 'w').close() for n in range(1, 47)]",
    "leaves_no_rights": "os.mkdir('d'); open('out.txt', 'w'); os.chmod('out.txt', 0); os.chmod('d', 0)",
    "takes_its_folder_rights": "os.chmod('.', 0)",
    "leaves_a_pipe": "os.mkfifo('out.txt')",
    "leaves_a_socket": "socket.socket(socket.AF_UNIX).bind('out.txt')",
    "leaves_a_device": "os.mknod('out.txt', 0o600 | stat.S_IFCHR, os.makedev(1, 5))",
    "leaves_a_link_to_zeros": "os.symlink('/dev/zero', 'out.txt')",
    "leaves_links_in_circles": "os.symlink('out.txt', 'out.txt'); os.symlink('.', 'again')",
    "leaves_a_link_to_everything": "os.symlink('/', 'out.txt'); os.symlink('/proc', 'proc')",
    "leaves_a_folder_in_place": "os.makedirs('out.txt/in')",
    "removes_its_folder": "shutil.rmtree(os.getcwd(), ignore_errors=True)",
    "removes_its_home": "[shutil.rmtree(os.environ[name], ignore_errors=True) for name in ('HOME', 'TMPDIR')]",
    "puts_a_link_in_its_folder_s_place": "w = os.getcwd(); os.rename(w, w + 'x'); os.symlink('/', w)",
    "writes_from_the_far_future": "open('out.txt', 'w'); os.utime('out.txt', (2**40, -2**40))",
    "makes_files_immutable": "open('out.txt', 'w'); "
    "fcntl.ioctl(os.open('out.txt', 0), 0x40086602, b'\\x10\\0\\0\\0\\0\\0\\0\\0')",
    "leaves_a_deep_document": "open('out.txt', 'w').write('[' * 200_000)",
    "leaves_a_torn_transcript": "os.makedirs(H := os.path.expanduser('~/.claude/projects/x')); "
    "open(H + '/s.jsonl', 'wb').write(b'{\"type\": \"user\", ' * 1000 + b'\\xff')",
    "leaves_a_transcript_without_end": "os.makedirs(H := os.path.expanduser('~/.claude/projects/x')); "
    "os.symlink('/dev/zero', H + '/s.jsonl'); os.mkfifo(H + '/t.jsonl')",
}  # fmt: skip

START = "import fcntl, os, shutil, signal, socket, stat, sys, time\nprint('42', flush=True)\n"
