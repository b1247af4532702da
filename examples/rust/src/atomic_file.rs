//! Atomic writing of files: a reader sees the complete old file or the complete new one, even after a power cut.

use crate::error::{Error, Refusal};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Replaces or creates a file. After an error the old file is unchanged, and no temporary file is left.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), Error> {
    // A symbolic link is kept, and the file that it points to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    refuse_database(&target)?;
    let temporary = beside(&target);
    let written = write_whole(&temporary, content).and_then(|()| take_place(&temporary, &target));
    written.map_err(|error| {
        // The first error is reported. An error of the removal is ignored: the temporary file may not exist.
        let _ = fs::remove_file(&temporary);
        Error::io(path)(error)
    })
}

fn beside(target: &Path) -> PathBuf {
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    target.with_file_name(format!(".{}-{number}.tmp", std::process::id()))
}

fn write_whole(temporary: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(temporary)?;
    file.write_all(content)?;
    file.sync_all()
}

fn take_place(temporary: &Path, target: &Path) -> io::Result<()> {
    if let Ok(existing) = fs::metadata(target) {
        fs::set_permissions(temporary, existing.permissions())?;
    }
    fs::rename(temporary, target)?;
    // The rename is durable only after an fsync of the folder, which Unix systems can open as a file.
    #[cfg(unix)]
    File::open(target.parent().filter(|folder| folder != &Path::new("")).unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(())
}

/// Refuses to replace an SQLite database, because its path was probably given by mistake.
fn refuse_database(target: &Path) -> Result<(), Error> {
    let mut head = [0; 16];
    let is_file = fs::metadata(target).is_ok_and(|found| found.is_file());
    if is_file
        && File::open(target).and_then(|mut file| file.read_exact(&mut head)).is_ok()
        && &head == b"SQLite format 3\0"
    {
        return Err(Refusal::new(target.display().to_string(), "it is an SQLite database; it was not changed").into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("agent-persistence-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn replaces_a_file_and_leaves_no_temporary_file() {
        let folder = folder("replace");
        let file = folder.join("a.json");
        for content in ["a longer text", "short"] {
            replace(&file, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), content);
        }
        assert_eq!(names(&folder), ["a.json"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn keeps_a_folder_and_a_database() {
        let folder = folder("stays");
        fs::create_dir_all(folder.join("taken/inside")).unwrap();
        assert!(replace(&folder.join("taken"), b"text").is_err());
        fs::write(folder.join("a.db"), b"SQLite format 3\0and more").unwrap();
        assert!(matches!(replace(&folder.join("a.db"), b"text"), Err(Error::Rejected(_))));
        assert_eq!(fs::read(folder.join("a.db")).unwrap(), b"SQLite format 3\0and more");
        assert_eq!(names(&folder).len(), 2);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn keeps_a_symbolic_link() {
        let folder = folder("link");
        fs::write(folder.join("file"), "old").unwrap();
        std::os::unix::fs::symlink("file", folder.join("link")).unwrap();
        replace(&folder.join("link"), b"new").unwrap();
        assert!(fs::symlink_metadata(folder.join("link")).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "new");
        fs::remove_dir_all(folder).unwrap();
    }
}
