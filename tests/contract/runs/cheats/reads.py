"""Ways to the answers: files, links, descriptors, mounts, disks."""


@way
def the_suite():
    return secret(read(f"{SUITE}/suite.yaml"))


@way
def a_walk_through_the_project():
    return any_of(
        lambda path: os.path.isfile(path) and secret(read(path)),
        (os.path.join(base, name) for base, _, names in os.walk(SUITE) for name in names),
    )


@way
def kept_runs():
    return bool(glob.glob(f"{SUITE}/.evenhand/*"))


@way
def objects_of_git():
    return any_of(lambda path: secret(zlib.decompress(read(path))), glob.glob(f"{SUITE}/.git/objects/*/*"))


@way
def a_symbolic_link():
    os.symlink(f"{SUITE}/suite.yaml", "link")
    return secret(read("link"))


@way
def a_link_to_the_folder():
    os.symlink(SUITE, "folder")
    return secret(read("folder/suite.yaml"))


@way
def a_hard_link():
    os.link(f"{SUITE}/suite.yaml", "hard")
    return secret(read("hard"))


@way
def steps_upwards():
    return secret(read(os.path.relpath(f"{SUITE}/suite.yaml")))


@way
def workspaces_of_others():
    return len(os.listdir(os.path.dirname(os.path.dirname(OWN)))) > 1 or len(os.listdir(f"{OWN}/../../..")) > 3


@way
def inherited_descriptors():
    return any_of(
        lambda number: os.path.isdir(f"/proc/self/fd/{number}") or secret(os.pread(int(number), 1 << 20, 0)),
        filter(
            lambda number: int(number) > 2 and os.path.exists(f"/proc/self/fd/{number}"), os.listdir("/proc/self/fd")
        ),
    )


@way
def the_root_of_the_first_process():
    return secret(read(f"/proc/1/root{SUITE}/suite.yaml"))


@way
def folders_of_processes():
    return any_of(lambda pid: secret(read(f"/proc/{pid}/cwd/suite.yaml")), others())


@way
def the_home_of_the_user():
    return secret(read(os.environ["USER_HOME"] + "/.netrc"))


@way
def temporary_files():
    return secret(read(os.path.dirname(SUITE) + "/someones.txt"))


@way
def its_environment():
    return secret(json.dumps(dict(os.environ)))


@way
def a_file_by_its_number():
    """The root of the disk has the same number everywhere; a handle asks for no path."""
    mount = os.open(OWN, os.O_RDONLY)
    try:
        os.close(call(304, mount, struct.pack("=IiII", 8, 1, 2, 0), os.O_RDONLY))
    finally:
        os.close(mount)
    return True


@way
def raw_disks():
    disks = [entry.path for entry in os.scandir("/dev") if stat.S_ISBLK(entry.stat().st_mode)]
    return any_of(lambda path: opens(path, os.O_RDONLY), disks)


@way
def a_disk_of_its_own_making():
    os.mknod("disk", 0o600 | stat.S_IFBLK, os.stat(OWN).st_dev)
    return opens("disk", os.O_RDONLY)


@way
def a_mount():
    os.mkdir("mounted")
    return not KERNEL.mount(os.path.dirname(SUITE).encode(), b"mounted", None, 4096, None) and secret(
        read(f"mounted/{os.path.basename(SUITE)}/suite.yaml")
    )


@way
def a_namespace_of_its_own():
    """In a child: the others go on where they are."""
    if pid := os.fork():
        return os.waitpid(pid, 0)[1] == 0
    try:
        call(272, 0x10000000 | 0x20000)  # a user namespace, with mounts
        for path in (SUITE, os.path.dirname(SUITE), "/tmp"):
            KERNEL.umount2(path.encode(), 2)
        os._exit(not secret(read(f"{SUITE}/suite.yaml")))
    except BaseException:
        os._exit(1)


@way
def another_root():
    os.mkdir("root")
    os.chroot("root")
    return secret(read(f"{'../' * 20}{SUITE}/suite.yaml"))
