/**
 * What callers read about an invocation that failed: an error of the function, or of Lambda before
 * the function ran. Texts name no account and no role, since callers are not of the account. Bound
 * by https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html, Errors.
 */
import type { UpstreamFailed } from '../../core/call/upstream.ts'
import type { HttpAnswer } from '../aws/exchange.ts'
import { makeServiceError } from '../aws/signed/service-error.ts'
import { isThrottleName } from '../aws/signed/throttle-names.ts'

/** The function ran and threw, was ended or answered more than 6 MB. */
export function describeFunctionError(body: Uint8Array): UpstreamFailed {
  const { errorMessage, errorType } = readError(body)
  const named = [errorType, errorMessage].filter((text) => text !== '').join(': ')
  const why = named === '' ? 'it gave no reason' : named
  return { detail: `The function failed: ${why}`, upstreamFault: 'reported' }
}

function readError(body: Uint8Array): { errorType: string; errorMessage: string } {
  const { errorMessage = '', errorType = '' } = parseMembers(body)
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return { errorType: text(errorType), errorMessage: text(errorMessage) }
}

function parseMembers(body: Uint8Array): { readonly [member: string]: unknown } {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    // A runtime of the user's own may write any text.
    return {}
  }
}

const NOT_RUN = 'so it did not run'

const TOO_LARGE: UpstreamFailed = {
  detail: `The event is larger than the 6 MB that Lambda gives a function, ${NOT_RUN}. Send less.`,
}

/** By AWS's name of the error. */
const BY_NAME: { readonly [name: string]: UpstreamFailed } = {
  AccessDeniedException: {
    detail: `AWS does not let the gateway invoke the function of this tool, ${NOT_RUN}: the permission lambda:InvokeFunction is missing. The operator adds the function to lambdaUpstreams of the stage and deploys.`,
    upstreamFault: 'access_denied',
  },
  ResourceNotFoundException: {
    detail: 'The function of this tool, or the version or alias that it names, does not exist.',
  },
  RequestTooLargeException: TOO_LARGE,
  InvalidRequestContentException: {
    detail: `Lambda does not accept the event as JSON, ${NOT_RUN}.`,
  },
  ServiceException: { detail: 'Lambda failed, and the function may have run.' },
}
const SIGNATURE_NAMES: ReadonlySet<string> = new Set([
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'UnrecognizedClientException',
])

/** An answer of Lambda itself whose status is not a success. */
export function describeRefusal(answer: HttpAnswer): UpstreamFailed {
  const { name } = makeServiceError({}, answer)
  const known = BY_NAME[name]
  if (known !== undefined) return known
  if (isThrottleName(name) || answer.status === 429) {
    return { detail: `The function has no free capacity now, ${NOT_RUN}.`, upstreamFault: 'busy' }
  }
  if (answer.status === 413) return TOO_LARGE
  if (SIGNATURE_NAMES.has(name)) {
    return {
      detail: `AWS does not accept the credentials of the gateway (${name}), ${NOT_RUN}. The operator checks them and the clock.`,
      upstreamFault: 'access_denied',
    }
  }
  if (name.startsWith('KMS')) {
    return {
      detail: `Lambda cannot use the KMS key of the function's environment (${name}), ${NOT_RUN}.`,
    }
  }
  return { detail: `Lambda could not run the function (${answer.status} ${name}).` }
}
