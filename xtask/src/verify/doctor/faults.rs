//! What is made wrong with a cluster, and the words that must name it.

/// How the doctor is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// `doctor --hosts`, by logins.
    Hosts,
    /// One rank per host, under `mpirun`.
    Launcher,
    /// The same, over the interface `eth9`.
    OtherInterface,
    /// Two ranks on the first host, under `mpirun`.
    OneHost,
    /// Alone, with the stub as its MPI library.
    Stub,
}

/// One thing that is wrong.
#[derive(Debug)]
pub(super) struct SeededFault {
    pub(super) name: &'static str,
    pub(super) way: Way,
    /// The host that has it; all, if `None`.
    pub(super) host: Option<usize>,
    /// Shell commands that change what the host sees of the file system.
    pub(super) files: &'static str,
    /// Shell commands that change the network of host number `HOST`.
    pub(super) network: &'static str,
    /// Names that the host file has too.
    pub(super) more_hosts: &'static [&'static str],
    /// Words of `mpirun`, before the program.
    pub(super) options: &'static [&'static str],
    /// What one line of the output must contain; nothing for a healthy cluster.
    pub(super) named: &'static [&'static str],
}

/// A healthy cluster, examined by logins.
const HEALTHY: SeededFault = SeededFault {
    name: "a healthy cluster, by logins",
    way: Way::Hosts,
    host: None,
    files: "",
    network: "",
    more_hosts: &[],
    options: &[],
    named: &[],
};

pub(super) const FAULTS: &[SeededFault] = &[
    HEALTHY,
    SeededFault { name: "a healthy cluster, under mpirun", way: Way::Launcher, ..HEALTHY },
    SeededFault {
        name: "a host without the binary",
        host: Some(2),
        files: "mount --bind /dev/null FIRECAFFE",
        named: &["10.83.0.3: there is no ", "firecaffe", "copy firecaffe"],
        ..HEALTHY
    },
    SeededFault {
        name: "another version",
        host: Some(1),
        files: "mount --bind FOLDER/other FIRECAFFE",
        named: &["fc1: firecaffe ", " (build ", "), but fc", "copy one program"],
        ..HEALTHY
    },
    SeededFault {
        name: "another prototxt",
        host: Some(3),
        files: "mount --bind FOLDER/other.prototxt FOLDER/net.prototxt",
        named: &["fc3: the net of net.prototxt differs from that of fc"],
        ..HEALTHY
    },
    SeededFault {
        name: "a missing database",
        host: Some(1),
        files: "mount -t tmpfs none FOLDER/train_lmdb",
        named: &["fc1: ", "train_lmdb", "copy it there"],
        ..HEALTHY
    },
    SeededFault {
        name: "a full disk",
        host: Some(2),
        files: "mount -t tmpfs -o size=200k none FOLDER/snapshots",
        named: &["fc2: ", "free in snapshots, and a snapshot takes"],
        ..HEALTHY
    },
    SeededFault {
        name: "a name that does not resolve",
        more_hosts: &["no-such-host.invalid"],
        named: &["no-such-host.invalid: the name does not resolve"],
        ..HEALTHY
    },
    SeededFault {
        name: "a firewall",
        host: Some(1),
        network: "ip netns exec fcHOST nft 'add table ip f; add chain ip f in { type filter hook input \
                  priority 0; }; add rule ip f in iifname eth0 tcp flags syn drop'",
        named: &["10.83.0.2: no other host reaches it", "open all TCP ports"],
        ..HEALTHY
    },
    SeededFault {
        name: "a link at a tenth of the speed, by logins",
        host: Some(2),
        network: SLOW,
        named: &["10.83.0.3: its links carry", "Mbit/s, those of the others"],
        ..HEALTHY
    },
    SeededFault {
        name: "a link at a tenth of the speed, under mpirun",
        way: Way::Launcher,
        host: Some(2),
        network: SLOW,
        named: &["fc2: its links carry", "Mbit/s, those of the others"],
        ..HEALTHY
    },
    SeededFault {
        name: "packet loss, by logins",
        host: Some(1),
        network: LOSS,
        named: &["10.83.0.2: up to ", "% of the packets to or from it are lost"],
        ..HEALTHY
    },
    SeededFault {
        name: "packet loss, under mpirun",
        way: Way::Launcher,
        host: Some(1),
        network: LOSS,
        named: &["fc1: up to ", "% of the packets to or from it are lost"],
        ..HEALTHY
    },
    SeededFault {
        name: "an interface that leads nowhere",
        way: Way::OtherInterface,
        network: "ip -n fcHOST link add eth9 type veth peer name eth8; ip -n fcHOST link set eth8 up; \
                  ip -n fcHOST address add 10.99.HOST.1/24 dev eth9; ip -n fcHOST link set eth9 up",
        named: &["fc", ": MPI ", "the interface that MPI chose leads nowhere"],
        ..HEALTHY
    },
    SeededFault {
        name: "two ranks bound to one core",
        way: Way::OneHost,
        options: &["taskset", "-c", "0"],
        named: &["fc0: ranks 0, 1 are bound to core 0, of ", "--bind-to none"],
        ..HEALTHY
    },
    SeededFault {
        name: "a library without MPI_THREAD_MULTIPLE",
        way: Way::Stub,
        named: &["libstub.so grants thread level 1, but MPI_THREAD_MULTIPLE (3) is needed"],
        ..HEALTHY
    },
];

/// The host sends and is sent to at a tenth of the others' rate.
const SLOW: &str = "tc -n fcHOST qdisc replace dev eth0 root handle 1: tbf rate 50mbit burst 65536 \
                    latency 50ms; tc qdisc replace dev fcportHOST root handle 1: tbf rate 50mbit \
                    burst 65536 latency 50ms";

/// The host drops one in 33 packets that arrive.
const LOSS: &str = "ip netns exec fcHOST nft 'add table ip f; add chain ip f in { type filter hook \
                    input priority 0; }; add rule ip f in iifname eth0 meta l4proto tcp numgen random \
                    mod 33 0 drop'";

/// Has the symbols of Open MPI, and grants `MPI_THREAD_FUNNELED`.
pub(super) const STUB: &str = r#"
int ompi_mpi_comm_world, ompi_mpi_byte, ompi_mpi_float, ompi_mpi_op_sum;
int ompi_mpi_errors_return, ompi_mpi_info_null;
int MPI_Init_thread(int *argc, char ***argv, int wanted, int *granted) { return *granted = 1, 0; }
int MPI_Get_library_version(char *text, int *len) { return *text = 0, *len = 0; }
#define NOTHING(name) int name(void) { return 0; }
NOTHING(MPI_Abort) NOTHING(MPI_Allreduce) NOTHING(MPI_Cancel) NOTHING(MPI_Comm_dup)
NOTHING(MPI_Comm_free) NOTHING(MPI_Comm_rank) NOTHING(MPI_Comm_set_errhandler)
NOTHING(MPI_Comm_size) NOTHING(MPI_Comm_split_type) NOTHING(MPI_Error_string)
NOTHING(MPI_Finalize) NOTHING(MPI_Get_count) NOTHING(MPI_Iprobe) NOTHING(MPI_Irecv)
NOTHING(MPI_Isend) NOTHING(MPI_Test)
"#;
