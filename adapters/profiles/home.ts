/** Finds the person's home folder, which a container may not have. */
import { homedir } from 'node:os'

export const NO_HOME = 'this user has no home folder; set HOME to a folder of yours.'

/** Returns undefined if neither HOME nor the system names a folder. */
export function findHome(): string | undefined {
  try {
    return homedir() || undefined
  } catch {
    // The user is not in the list of the system, as with docker run --user.
    return undefined
  }
}
