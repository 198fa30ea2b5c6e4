/** A check of `doctor` that only an administrator can make: without a key for it, it is left out. */
import { CommandFault, EXIT } from '../terminal/exit-code.ts'

/** Throws what `check` throws, but for a refused credential, of which another check tells. */
export async function checkAsAdmin(check: () => Promise<string>): Promise<string> {
  try {
    return await check()
  } catch (cause) {
    const isAsked = cause instanceof CommandFault && cause.exitCode === EXIT.unauthenticated
    if (isAsked) return 'not checked: it needs an admin key'
    throw cause
  }
}
