/**
 * Recognises the address of a Lambda function URL. Its host is random, so nobody can tell its page
 * from a thief's, and a login at such an origin takes invitations only.
 */

const FUNCTION_URL = /^https:\/\/[a-z0-9-]+\.lambda-url\.[a-z0-9-]+\.on\.aws$/

/** `origin` is in lower case, without a slash at the end. */
export function isFunctionUrl(origin: string): boolean {
  return FUNCTION_URL.test(origin)
}
