/** The shape of a session id: 256 random bits, base64url. Checked before any read. */

export const SESSION_ID_BYTES = 32

const SESSION_ID = /^[A-Za-z0-9_-]{43}$/

/** True for the text of a session id; the session may be unknown. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text)
}
