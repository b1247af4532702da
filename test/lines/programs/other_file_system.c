/* Preloaded into a process, lets every file system say that it is the one whose number is in FILE_SYSTEM. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/vfs.h>

int statfs(const char *path, struct statfs *found) {
  int result = ((int (*)(const char *, struct statfs *))dlsym(RTLD_NEXT, "statfs"))(path, found);
  found->f_type = strtol(getenv("FILE_SYSTEM"), NULL, 16);
  return result;
}

int statfs64(const char *path, struct statfs64 *found) {
  int result = ((int (*)(const char *, struct statfs64 *))dlsym(RTLD_NEXT, "statfs64"))(path, found);
  found->f_type = strtol(getenv("FILE_SYSTEM"), NULL, 16);
  return result;
}
