import { DirectoryStore } from "../../../src/stores/directory/directory_store.ts";
import { storeSuite } from "../store_suite.ts";
import { freshFolder } from "../../../../../test/fresh_folder.ts";

const root = freshFolder();

storeSuite(
  "a directory",
  () => {
    return Promise.resolve({
      store: new DirectoryStore(root, `file://${root}`),
      partSize: 5 << 20,
    });
  },
  false,
);
