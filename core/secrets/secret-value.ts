/**
 * Checks a secret value that an administrator sends: long enough to be masked, short enough to be
 * stored. Errors never repeat any part of the value.
 */
import { err, ok, type Result } from '../errors.ts'
import type { Json } from '../json/json.ts'
import { bytesOf } from '../json/text-bytes.ts'
import { SECRET_BYTES_MAX, SECRET_CHARS_MIN } from './limits.ts'

export const SECRET_VALUE_RULE = `must be a string of ${SECRET_CHARS_MIN} characters or more, up to ${SECRET_BYTES_MAX} bytes of UTF-8`

/** Returns a value that may be sealed, or the rule that it breaks. */
export function readSecretValue(value: Json | undefined): Result<string, string> {
  if (typeof value !== 'string' || !value.isWellFormed()) return err(SECRET_VALUE_RULE)
  // Code units are compared first, so that a long text is not encoded only to be refused.
  if (value.length > SECRET_BYTES_MAX || bytesOf(value) > SECRET_BYTES_MAX)
    return err(SECRET_VALUE_RULE)
  return [...value].length < SECRET_CHARS_MIN ? err(SECRET_VALUE_RULE) : ok(value)
}
