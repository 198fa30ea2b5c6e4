/** The names of the files that an export of statements writes. */

/**
 * The name of a user's file. `taken` has the names so far in lower case: where a disk does not
 * distinguish case, the accounts of `Ada` and `ada` would otherwise be one file.
 */
export function nameStatementFile(
  { month, uid }: { readonly month: string; readonly uid: string },
  taken: Set<string>,
): string {
  // Ids of users have only letters, digits, - and _; anything else would name another folder.
  const safe = uid.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, NAME_CHARS_MAX)
  let name = `${safe}-${month}.html`
  for (let copy = 2; taken.has(name.toLowerCase()); copy += 1)
    name = `${safe}~${copy}-${month}.html`
  taken.add(name.toLowerCase())
  return name
}

/** Ids have at most 64 characters; file systems allow 255 bytes. */
const NAME_CHARS_MAX = 200
