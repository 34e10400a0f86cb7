use super::{
    LibrarySearch, LoadError, OPEN_MPI, ProcessManagement, SharedObject, first_that_fits,
    is_missing,
};
use std::path::{Path, PathBuf};

/// The search of a process that has `variables`, separated by spaces.
fn search(variables: &'static str) -> LibrarySearch {
    LibrarySearch::of_launcher(&|name| {
        let pairs = variables.split(' ').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(variable, _)| *variable == name).map(|(_, value)| value.to_owned()).next()
    })
}

#[test]
fn the_launchers_variables_say_which_library_comes_first() {
    for (variables, management, first) in [
        ("OMPI_COMM_WORLD_SIZE=2 PMIX_RANK=0", ProcessManagement::Pmix, "libmpi.so.40"),
        ("PMIX_RANK=0 SLURM_STEP_NUM_TASKS=2", ProcessManagement::Pmix, "libmpi.so.40"),
        ("PMI_SIZE=2 PMI_RANK=1", ProcessManagement::Pmi, "libmpi.so.12"),
        ("PMI_SIZE=2 OMPI_COMM_WORLD_SIZE=2", ProcessManagement::Pmix, "libmpi.so.40"),
    ] {
        let found = search(variables);
        assert_eq!(found.management, management, "{variables}");
        let names = LibrarySearch { folders: Vec::new(), ..found };
        assert_eq!(names.candidates()[0].0, PathBuf::from(first), "{variables}");
    }
}

#[test]
fn a_library_beside_the_launcher_comes_before_names() {
    let folder = std::env::temp_dir().join(format!("firecaffe-search-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("libmpi_abi.so.1")).unwrap(); // a folder is no library
    let mpich = folder.join("libmpich.so.12");
    std::os::unix::fs::symlink("/bin/sh", &mpich).unwrap();
    let search = LibrarySearch { folders: vec![folder.clone()], ..search("PMIX_RANK=0") };
    let first = search.candidates()[0].0.clone();
    let searched = search.searched();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(first, mpich, "by the folder, although PMIx suggests Open MPI");
    assert!(searched.contains(&folder.display().to_string()), "{searched}");
    assert_eq!(searched.matches("libmpi.so,").count(), 1, "{searched}");
}

#[test]
fn what_is_no_mpi_is_refused_with_its_name() {
    let open = |path: &str| {
        let named = Some(PathBuf::from(path));
        LibrarySearch { named, ..search("PMI_SIZE=2") }.open().map(|(_, abi)| abi.name)
    };
    let error = open("/no/such/libmpi.so").unwrap_err();
    assert!(matches!(error, LoadError::Open { .. }), "{error}");
    assert!(error.to_string().contains("--mpi /no/such/libmpi.so: "), "{error}");
    let error = open("libm.so.6").unwrap_err();
    assert!(matches!(error, LoadError::Unknown { .. }), "{error}");
    assert!(error.to_string().contains("libm.so.6 has none of the symbols"), "{error}");
    assert!(open("nul\0").is_err());
}

/// A library that needs another one is there, although it does not load.
#[test]
fn what_the_loader_says_of_a_file_that_is_there_is_kept() {
    let missing = SharedObject::open(Path::new("libno-such-mpi.so")).unwrap_err();
    assert!(is_missing(Path::new("libno-such-mpi.so"), &missing), "{missing}");
    let needs = missing.replace("libno-such-mpi.so", "libhwloc.so.15");
    assert!(!is_missing(Path::new("libmpi.so.40"), &needs), "{needs}");

    let folder = std::env::temp_dir().join(format!("firecaffe-complaint-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("libmpi.so.40");
    std::os::unix::fs::symlink("/proc/version", &file).unwrap(); // a text
    let there = [file.clone(), folder.join("libmpi.so")].map(|path| (path, &OPEN_MPI));
    let complaints = first_that_fits(there.to_vec()).map(drop).unwrap_err();
    std::fs::remove_dir_all(&folder).unwrap();
    let want = format!("; {} is there, but does not load: ", file.display());
    assert!(complaints.starts_with(&want), "{complaints}");
    assert_eq!(complaints.matches("is there").count(), 1, "{complaints}");
    let error = LoadError::Missing { searched: "libmpi.so.40".to_owned(), complaints };
    assert!(error.to_string().contains(&want), "{error}");
}
