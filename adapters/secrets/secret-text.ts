/**
 * Parses the text of an admin secret, `{"current":"…","previous":"…"?}`, into the values that are
 * valid now. While `previous` is there both are valid, so that an administrator's tools change over
 * without an outage. A malformed text is a fault that names the secret and the field, never a
 * value.
 */
import { type AdminSecretKind, adminSecretFault } from '../../core/access/admin-credential.ts'
import { Fault } from '../../core/errors.ts'
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'

/** Secrets Manager's own limit. */
const TEXT_BYTES_MAX = 65_536
const SHAPE = '{"current":"…"}, and "previous" beside it while it is rotated'

export type AdminSecretName = { readonly kind: AdminSecretKind; readonly id: string }

/** The current value first. */
export function readSecretText(of: AdminSecretName, text: string | undefined): readonly string[] {
  const subject = `secret ${of.id}`
  if (text === undefined) throw unfit(`${subject}: holds no text; write ${SHAPE}`)
  const json = parseJson(text, { subject, bytesMax: TEXT_BYTES_MAX })
  if (!json.ok) throw unfit(json.error.detail)
  if (!isJsonObject(json.value)) throw unfit(`${subject}: is not an object; write ${SHAPE}`)
  const { current, previous } = json.value
  if (current === undefined) throw unfit(`${subject}: current: is missing; write ${SHAPE}`)
  const values = [textOf(of, 'current', current)]
  return previous === undefined ? values : [...values, textOf(of, 'previous', previous)]
}

function textOf(of: AdminSecretName, field: string, value: Json): string {
  const where = `secret ${of.id}: ${field}:`
  if (typeof value !== 'string') throw unfit(`${where} is not a text; write ${SHAPE}`)
  const fault = adminSecretFault(of.kind, value)
  if (fault !== undefined) throw unfit(`${where} ${fault}`)
  return value
}

function unfit(message: string): Fault {
  return new Fault('store_unavailable', message)
}
