/* Preloaded into a process, makes every file system one that cannot share memory between processes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

typedef void *(*map)(void *, size_t, int, int, int, off_t);

static void *map_unless_shared(const char *name, void *address, size_t length, int protection, int flags, int file,
                               off_t offset) {
  if ((flags & MAP_SHARED) != 0 && file >= 0 && (protection & PROT_WRITE) != 0) {
    errno = ENODEV;
    return MAP_FAILED;
  }
  return ((map)dlsym(RTLD_NEXT, name))(address, length, protection, flags, file, offset);
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  return map_unless_shared("mmap", address, length, protection, flags, file, offset);
}

void *mmap64(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  return map_unless_shared("mmap64", address, length, protection, flags, file, offset);
}
