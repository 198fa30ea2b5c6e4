/** The finder of functions with region and credentials of the process, which it reads when used. */
import type { TaggedFunctions } from '../../core/ports/tagged-functions.ts'
import { readProcessConfig } from '../config/env.ts'
import { makeTaggedFunctions } from './tagging-api.ts'

/** Without credentials, as in the twin of most terminals, it finds that there is no account. */
export function createTaggedFunctions(): TaggedFunctions {
  try {
    return makeTaggedFunctions(readProcessConfig(['lambda']).lambda)
  } catch {
    // The error lists variables of deployed functions; the flow says what a person should set.
    return { find: async () => ({ kind: 'no_account' }) }
  }
}
