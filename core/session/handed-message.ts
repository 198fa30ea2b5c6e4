/** The payload that the sse function passes to the messages function for one accepted message. */
import type { Session } from './session.ts'

export type HandedMessage = {
  readonly sessionId: string
  /** The session as the accepting write returned it; `pending` includes this request. */
  readonly session: Session
  /** This request's sequence number; 0 for a notification, which gets no reply. */
  readonly seq: number
  readonly acceptedAtMs: number
  /** The User-Agent of its POST, shortened; for the record of a call. */
  readonly client?: string | undefined
  /** The JSON-RPC message exactly as posted. */
  readonly text: string
}
