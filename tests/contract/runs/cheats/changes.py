"""Ways to change what judges it, its rivals, or the machine. Files are opened for writing and left as they are."""


def is_on_this_disk(folder):
    """Rather than in memory of its own, where a path has no more than its name."""
    return os.stat(folder).st_dev == os.stat(OWN).st_dev


@way
def the_suite():
    return opens(f"{SUITE}/suite.yaml")


@way
def the_folder_of_the_suite():
    return is_on_this_disk(SUITE) and makes_in(SUITE)


@way
def kept_runs():
    return any_of(makes_in, glob.glob(f"{SUITE}/.evenhand*/**/", recursive=True)) or any_of(
        opens, glob.glob(f"{SUITE}/.evenhand*/**", recursive=True)
    )


@way
def hooks_of_git():
    return makes_in(f"{SUITE}/.git/hooks")


@way
def the_script_of_a_rival():
    return any_of(opens, glob.glob(f"{SUITE}/*.py"))


@way
def its_own_script():
    return opens(os.path.abspath(sys.argv[0]))


@way
def files_that_rivals_start_from():
    return opens(f"{SUITE}/given.txt")


@way
def workspaces_of_others():
    rivals = os.path.dirname(os.path.dirname(OWN))
    return is_on_this_disk(rivals) and makes_in(rivals)


@way
def the_prompt():
    return opens(os.environ["EVENHAND_PROMPT_FILE"])


@way
def code_of_the_examiner():
    return opens(os.environ["PACKAGE"])


@way
def the_interpreter():
    return any_of(opens, [os.path.realpath(sys.executable), os.__file__])


@way
def packages():
    return any_of(
        makes_in, [path for path in sys.path if path and path != os.path.dirname(os.path.abspath(sys.argv[0]))]
    )


@way
def programs():
    return any_of(makes_in, os.environ["PATH"].split(os.pathsep))


@way
def the_system():
    return any_of(makes_in, ["/etc", "/etc/cron.d", "/etc/ld.so.conf.d", "/usr/local/lib", "/var/spool/cron", "/opt"])


@way
def the_home_of_the_user():
    return makes_in(os.environ["USER_HOME"])


@way
def settings_of_the_kernel():
    """But for the one that anybody may open: without a capability nothing can be written there."""
    names = glob.glob("/proc/sys/kernel/*") + glob.glob("/proc/sys/vm/*") + ["/proc/sysrq-trigger"]
    return any_of(opens, (name for name in names if not name.endswith("/ns_last_pid")))


@way
def settings_of_the_kernel_in_a_namespace():
    if pid := os.fork():
        return os.waitpid(pid, 0)[1] == 0
    try:
        call(272, 0x10000000 | 0x20000 | 0x20000000)  # with mounts and processes
        if pid := os.fork():
            os._exit(os.waitpid(pid, 0)[1] != 0)
        KERNEL.umount2(b"/proc/sys", 2)
        KERNEL.mount(b"proc", b"/proc", b"proc", 0, None)
        os._exit(not any_of(opens, glob.glob("/proc/sys/kernel/core_*") + glob.glob("/proc/sys/vm/*")))
    except BaseException:
        os._exit(1)


@way
def parts_of_the_kernel():
    return any_of(
        opens, glob.glob("/sys/kernel/*") + glob.glob("/sys/kernel/*/*") + glob.glob("/sys/fs/cgroup/*/tasks")
    )


@way
def interrupts_and_buses():
    return any_of(opens, glob.glob("/proc/irq/*") + glob.glob("/proc/irq/*/*") + glob.glob("/proc/bus/*/*/*"))


@way
def devices():
    names = (
        "mem",
        "kmem",
        "port",
        "kmsg",
        "fuse",
        "kvm",
        "loop-control",
        "loop0",
        "console",
        "tty0",
        "tty1",
        "net/tun",
    )
    return any_of(opens, [f"/dev/{name}" for name in names])


@way
def mounts():
    os.mkdir("memory")
    return not KERNEL.mount(b"none", b"memory", b"tmpfs", 0, None)


@way
def the_clock():
    return time.clock_settime(time.CLOCK_REALTIME, time.time()) is None


@way
def the_name_of_the_machine():
    name = socket.gethostname().encode()
    return KERNEL.sethostname(name, len(name)) == 0


@way
def limits_of_others():
    return any_of(lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE), others())


@way
def turns_of_others():
    return any_of(
        lambda pid: os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid)) is None, others()
    )


@way
def rights_on_files():
    """A mode is set to what it is."""
    path = f"{SUITE}/suite.yaml"
    return os.chmod(path, stat.S_IMODE(os.stat(path).st_mode)) is None


@way
def a_disk_in_memory():
    """Of which no one counts what is written: a run could take all memory there is."""
    sizes = {folder: os.statvfs(folder) for folder in ("/dev", "/dev/shm", "/run", "/tmp")}
    large = [folder for folder, size in sizes.items() if size.f_blocks * size.f_frsize > 1_100_000_000]
    return any_of(makes_in, large)
