/**
 * Voids a call whose agent will not get its answer, with a few tries. Bound by docs/service.md,
 * Tool calls.
 */
import type { Ports } from '../../ports/ports.ts'

export type VoidableCall = {
  readonly callId: string
  /** Reads the user who pays, only to void the call; undefined if the key has no user any more. */
  ownerOf(): Promise<string | undefined>
}

/** Returns true if the call is certainly free. Never throws: each failed try is logged. */
export async function voidSafely(
  ports: Pick<Ports, 'clock' | 'execute' | 'log'>,
  call: VoidableCall,
  reason: 'void' | 'cancelled',
): Promise<boolean> {
  for (let attempt = 1; attempt <= VOID_ATTEMPTS; attempt += 1) {
    try {
      const uid = await call.ownerOf()
      // The key of the call was revoked, so its user cannot be found.
      if (uid === undefined) {
        ports.log.note('error', 'void-failed', { callId: call.callId, attempt: VOID_ATTEMPTS })
        return false
      }
      return (await ports.execute.voidCall({ uid, callId: call.callId, reason })) === 'free'
    } catch (cause) {
      ports.log.note('error', 'void-failed', { callId: call.callId, attempt }, cause)
      if (attempt < VOID_ATTEMPTS) await ports.clock.sleep(VOID_RETRY_MS * attempt)
    }
  }
  return false
}

/** Tries of a void. After the last one the answer says that the charge is uncertain. */
const VOID_ATTEMPTS = 3
const VOID_RETRY_MS = 200
