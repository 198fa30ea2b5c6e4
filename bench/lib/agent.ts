/** Creates the bench's user and stream, for timed and for counted runs. */

import type { Result } from '../../core/errors.ts'
import { type OpenedSession, openSession } from '../../core/flow/sse/open-session.ts'
import { runStream } from '../../core/flow/sse/run-stream.ts'
import { issueKey } from '../../core/flow/users/manage-keys.ts'
import { createUser } from '../../core/flow/users/manage-users.ts'
import { credentialOf } from './credential.ts'
import { type FlowPorts, SETTINGS } from './gateway.ts'

/** Returns the value of a result. Throws an Error for a refusal. */
export function unwrap<T>(result: Result<T, { readonly detail: string }>): T {
  if (result.ok) return result.value
  throw new Error(`refused: ${result.error.detail}`)
}

/** Creates a user with credits and returns the user's Authorization header. */
export async function createBenchUser(
  ports: FlowPorts,
  uid: string,
  credits: number,
): Promise<string> {
  unwrap(await createUser(ports, { uid, username: uid, credits }))
  return `Bearer ${unwrap(await issueKey(ports, uid)).key}`
}

export type StreamNeeds = Parameters<typeof runStream>[0]
type Write = Parameters<typeof runStream>[2]['write']

export type BenchStream = {
  readonly opened: OpenedSession
  readonly close: () => Promise<void>
}

/** Opens a session and runs its stream; `write` gets each block as the response would. */
export async function openStream(
  ports: FlowPorts & Pick<StreamNeeds, 'execute'>,
  authorization: string,
  write: Write,
  settings = SETTINGS,
): Promise<BenchStream> {
  const opened = unwrap(await openSession(ports, settings, credentialOf(authorization)))
  const gone = new AbortController()
  const outlet = { write, closed: gone.signal, deadlineMs: undefined }
  const ended = runStream(ports, opened, outlet, '/v1/mcp/messages')
  const close = async () => {
    gone.abort()
    await ended
  }
  return { opened, close }
}

export const NO_EXECUTE: StreamNeeds['execute'] = {
  execute: () => Promise.reject(new Error('no call is placed here')),
  voidCall: () => Promise.reject(new Error('no call is voided here')),
}
