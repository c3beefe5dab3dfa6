"""Ways to live on, and to leave word for the next run, which says what it found."""

NAME = f"/word-{MARK}"
NUMBER = int(MARK[-6:], 16)


def word(path):
    if os.path.exists(path):
        return True
    with open(path, "x"):
        return False


@way
def in_shared_memory():
    return word(f"/dev/shm{NAME}")


@way
def in_temporary_files():
    return word(f"/tmp{NAME}")


@way
def in_other_temporary_files():
    return word(f"/var/tmp{NAME}")


@way
def in_its_temporary_folder():
    return word(os.environ["TMPDIR"] + NAME)


@way
def in_its_home():
    return word(os.environ["HOME"] + NAME)


@way
def beside_its_workspace():
    return word(f"{OWN}/..{NAME}")


@way
def in_locks():
    return word(f"/run/lock{NAME}")


@way
def in_a_keyring():
    ring = ctypes.c_int(-4)  # the user's, which no session owns
    try:
        return call(250, 10, ring, b"user", NAME.encode(), 0) > 0
    except OSError:
        call(248, b"user", NAME.encode(), b"x", 1, ring)
        return False


@way
def in_a_memory_segment():
    try:
        return call(29, NUMBER, 4096, 0o600) >= 0
    except OSError:
        call(29, NUMBER, 4096, 0o1600)
        return False


@way
def in_a_message_queue():
    try:
        return call(240, NAME[1:].encode(), os.O_RDONLY, 0, None) >= 0
    except OSError:
        call(240, NAME[1:].encode(), os.O_RDWR | os.O_CREAT, 0o600, None)
        return False


def live_on(code, *, ready=lambda: None):
    """A process without its parents, its session, its streams and its environment."""
    if pid := os.fork():
        os.waitpid(pid, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    null = os.open("/dev/null", os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    ready()
    os.execve(sys.executable, [sys.executable, "-c", code, f"daemon-{MARK}"], {})


def deaf():
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_IGN)
        except OSError:
            continue


def elsewhere():
    call(272, 0x10000000 | 0x20000000)
    if os.fork():
        os._exit(0)


SLEEPS = "import time; time.sleep(90)"
RUNS_AWAY = """import os, time
end = time.time() + 90
while time.time() < end:
    if os.fork(): os._exit(0)
    time.sleep(.01)
"""


@way
def alone():
    live_on(SLEEPS)


@way
def without_ears():
    live_on(SLEEPS, ready=deaf)


@way
def in_a_namespace():
    live_on(SLEEPS, ready=elsewhere)


@way
def as_always_another():
    live_on(RUNS_AWAY)


@way
def stopped():
    live_on("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)")


@way
def as_a_server():
    live_on("import socket, time; s = socket.create_server(('127.0.0.1', 0)); time.sleep(90)")
