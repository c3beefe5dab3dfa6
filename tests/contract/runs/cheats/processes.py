"""Ways through the processes that judge it: their memory, their files, their end."""


@way
def their_arguments():
    return any(True for _ in others())


@way
def their_environment():
    return any_of(lambda pid: read(f"/proc/{pid}/environ"), others())


@way
def their_memory():
    return any_of(lambda pid: opens(f"/proc/{pid}/mem", os.O_RDONLY), others())


@way
def their_maps():
    return any_of(lambda pid: read(f"/proc/{pid}/maps"), others())


@way
def their_descriptors():
    return any_of(lambda pid: any_of(lambda fd: os.readlink(fd), glob.glob(f"/proc/{pid}/fd/*")), others())


@way
def reading_their_memory():
    """process_vm_readv of an address where nothing is: a bad address to who may read, refused to others."""
    place = ctypes.create_string_buffer(8)
    into, of = (struct.pack("=QQ", address, 8) for address in (ctypes.addressof(place), 16))

    def may(pid):
        try:
            return call(310, pid, into, 1, of, 1, 0) >= 0
        except OSError as error:
            return error.errno == 14

    return any_of(may, others())


@way
def debugging():
    def attach(pid):
        call(101, 0x4206, pid, None, None)  # PTRACE_SEIZE, which does not stop it
        call(101, 17, pid, None, None)
        return True

    return any_of(attach, others())


@way
def taking_a_descriptor():
    return any_of(lambda pid: call(438, os.pidfd_open(pid), 2, 0) > 0, others())


@way
def signals():
    return any_of(lambda pid: os.kill(pid, 0) is None, others())


@way
def signals_to_its_parent():
    return os.getppid() > 1 and os.kill(os.getppid(), 0) is None


@way
def their_namespaces():
    return any_of(lambda pid: opens(f"/proc/{pid}/ns/mnt", os.O_RDONLY), others())


@way
def a_socket_without_a_name_in_a_folder():
    with socket.socket(socket.AF_UNIX) as server:
        return server.connect("\0" + MARK) is None


@way
def a_socket_in_a_folder():
    with socket.socket(socket.AF_UNIX) as server:
        return server.connect(os.environ["SOCKET"]) is None


@way
def programs_that_act_for_others():
    paths = (
        "/run/docker.sock",
        "/run/containerd/containerd.sock",
        "/run/dbus/system_bus_socket",
        "/run/systemd/private",
    )

    def connect(path):
        with socket.socket(socket.AF_UNIX) as server:
            return server.connect(path) is None

    return any_of(connect, paths)


@way
def a_terminal_of_someone():
    """In which the examiner shows what came of it, and its user types."""
    return opens(os.environ["TERMINAL"], os.O_RDWR | os.O_NOCTTY)
