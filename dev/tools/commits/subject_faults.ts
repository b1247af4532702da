/** A commit as `git log` lists it. */
export interface Commit {
  hash: string;
  /** First line of the message. */
  subject: string;
  /** Number of known parents: 2 or more for a merge. */
  parents: number;
}

/** `git log`, `git blame` and lists of commits on the web cut longer lines. */
const LONGEST_SUBJECT = 72;

/** One or several areas, then what the commit does: `cli, migrator: name the option in the error`. */
const PATTERN = /^[a-z\d][\w./-]*(?:, [a-z\d][\w./-]*)*: \S/;

/** Verbs in another form than the imperative: the subject says what the commit does, not what was done. */
const NOT_IMPERATIVE = /: (?:added|adds|adding|fixed|fixes|fixing|changed|changes|removed|removes|updated|updates)\b/;

/** Faults of the subject of a commit, a sentence each. The form of a merge is that of the program that made it. */
export function subjectFaults({ subject, parents }: Commit): string[] {
  const faults: string[] = [];
  const length = [...subject].length;
  if (length > LONGEST_SUBJECT) faults.push(`has ${length} characters; at most ${LONGEST_SUBJECT} are allowed`);
  // At the end of a shallow clone, as CI makes one, the parents are unknown.
  if (parents > 1 || subject.startsWith("Merge ")) return faults;
  if (!PATTERN.test(subject)) faults.push('does not have the form "area: imperative subject"');
  if (NOT_IMPERATIVE.test(subject)) faults.push("is not in the imperative");
  if (subject.endsWith(".")) faults.push("ends with a full stop");
  return faults;
}

/** Parses the output of `git log --format=%h%x00%p%x00%s`: one commit a line. */
export function parseLog(log: string): Commit[] {
  return log
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [hash = "", parents = "", subject = ""] = line.split("\0");
      return { hash, subject, parents: parents.split(" ").filter((parent) => parent !== "").length };
    });
}
