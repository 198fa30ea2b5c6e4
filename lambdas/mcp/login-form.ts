/** Reads a form of a client or of a page of the login, whose fields come once each. */
import type { FunctionUrlEvent } from '../../adapters/http/events.ts'
import { findHeader, readTextOrBytes } from '../../adapters/http/request.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import type { Form } from '../../core/flow/login/exchange.ts'
import { type OAuthError, readParameters } from '../../core/login/authorize-request.ts'

const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Refuses with `invalid_request` another type, a large body and a field that comes twice. */
export function readForm(
  event: FunctionUrlEvent,
  limits: { readonly bytesMax: number },
): Result<Form, OAuthError> {
  const refuse = (description: string) => err({ error: 'invalid_request' as const, description })
  const [type = ''] = (findHeader(event, 'content-type') ?? '').toLowerCase().split(';')
  if (type.trim() !== FORM_TYPE) return refuse(`content-type: must be ${FORM_TYPE}`)
  const body = readTextOrBytes(event, limits)
  if (!body.ok) return refuse(body.error.detail)
  const text = typeof body.value === 'string' ? body.value : new TextDecoder().decode(body.value)
  const form = readParameters(text)
  return form.ok ? ok(form.value) : refuse(form.error)
}
