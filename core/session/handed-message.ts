/** What the front door (sse) hands on to the messages door: the message and all it needs to know. */
import type { Session } from './session.ts'

export type HandedMessage = {
  readonly sessionId: string
  /** The session as the accepting write returned it, this request included in `pending`. */
  readonly session: Session
  /** This request's sequence number; 0 for a notification, which gets no reply. */
  readonly seq: number
  readonly acceptedAtMs: number
  /** The JSON-RPC message exactly as it was posted. */
  readonly text: string
}
