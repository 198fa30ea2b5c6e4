/**
 * Shows the head of a request that would be signed for AWS, without credentials and without a
 * signature. Asks nobody for a session of a role. Bound by docs/service.md, Dry runs.
 */
import type { UpstreamRequest } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import { findDenial, type SigningRules } from '../../core/request/check-signing.ts'
import { DIFFERS_PER_CALL, MADE_FROM_SECRETS } from '../../core/request/shown-request.ts'
import type { AwsSigning } from '../../core/skills/skill.ts'
import { makeSigner, toSignableUrl } from '../aws/sign-request.ts'
import { selectOwnHeaders } from './outgoing-headers.ts'

const NOBODY = { accessKeyId: 'none', secretAccessKey: 'none' }
const TOKEN = { 'x-amz-security-token': '[session token]' }

/** Returns the request with the headers of a signature, or why it would not be sent. */
export function previewSigned(
  request: UpstreamRequest,
  signing: AwsSigning,
  rules: SigningRules,
): Result<UpstreamRequest, string> {
  const denied = findDenial(request.url, signing, rules)
  if (denied !== undefined) return err(denied)
  const own = selectOwnHeaders(request)
  if (!own.ok) return own
  const { body, method } = request
  const url = toSignableUrl(new URL(request.url))
  const unsigned = { method, url, headers: Object.fromEntries(own.value), body }
  const sign = makeSigner(signing.service, signing.region)
  const {
    authorization = '',
    host: _,
    ...headers
  } = sign(unsigned, { ...NOBODY, sessionToken: 'none' }, 0)
  const hash = request.sensitive?.body === true ? { 'x-amz-content-sha256': MADE_FROM_SECRETS } : {}
  const shown = {
    ...headers,
    'x-amz-date': DIFFERS_PER_CALL,
    ...hash,
    ...TOKEN,
    authorization: hideSignature(authorization),
  }
  return ok({ ...request, url: url.href, headers: shown })
}

function hideSignature(authorization: string): string {
  return authorization
    .replace(/Credential=[^/]*\/\d{8}/, 'Credential=[access key]/[day]')
    .replace(/Signature=.*$/, `Signature=${DIFFERS_PER_CALL}`)
}
