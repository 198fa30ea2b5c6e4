/**
 * Parses the text of an admin secret, `{"current":"…","previous":"…"?}`, into the valid values.
 * While `previous` exists both are valid, so that an administrator's tools can change to the new
 * value without an outage. A malformed text is a fault that names the secret and the field, never a
 * value.
 */
import {
  type AdminSecretKind,
  explainUnsendableSecret,
} from '../../core/access/admin-credential.ts'
import { Fault } from '../../core/errors.ts'
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'

/** Secrets Manager's own limit. */
const TEXT_BYTES_MAX = 65_536
const SHAPE = '{"current":"…"}, and "previous" beside it while it is rotated'

export type AdminSecretName = { readonly kind: AdminSecretKind; readonly id: string }

/** Returns the current value first. Throws `Fault('store_unavailable')` for a malformed text. */
export function readSecretText(of: AdminSecretName, text: string | undefined): readonly string[] {
  const subject = `secret ${of.id}`
  if (text === undefined) throw makeFault(`${subject}: holds no text; write ${SHAPE}`)
  const json = parseJson(text, { subject, bytesMax: TEXT_BYTES_MAX })
  if (!json.ok) throw makeFault(json.error.detail)
  if (!isJsonObject(json.value)) throw makeFault(`${subject}: is not an object; write ${SHAPE}`)
  const { current, previous } = json.value
  if (current === undefined) throw makeFault(`${subject}: current: is missing; write ${SHAPE}`)
  const values = [readField(of, 'current', current)]
  return previous === undefined ? values : [...values, readField(of, 'previous', previous)]
}

function readField(of: AdminSecretName, field: string, value: Json): string {
  const where = `secret ${of.id}: ${field}:`
  if (typeof value !== 'string') throw makeFault(`${where} is not a text; write ${SHAPE}`)
  const fault = explainUnsendableSecret(of.kind, value)
  if (fault !== undefined) throw makeFault(`${where} ${fault}`)
  return value
}

function makeFault(message: string): Fault {
  return new Fault('store_unavailable', message)
}
