/**
 * Signs requests for AWS and sends them over HTTP. Just before each send, it checks again that the
 * host is AWS's and that the operator allows the role, or the gateway's own identity. A retry is
 * signed again. No redirect is followed, because a signature is for one URL. Bound by
 * docs/service.md, Requests to AWS, and ADR 0120.
 */

import { keepYoungest } from '../../core/cache/keep-youngest.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import type { Clock, Log, Upstream, UpstreamLimits } from '../../core/ports/outside.ts'
import { findDenial, type SigningRules } from '../../core/request/check-signing.ts'
import type { AwsSigning } from '../../core/skills/skill.ts'
import { type Credentials, makeSigner, type Sign, toSignableUrl } from '../aws/sign-request.ts'
import { type AssumeRole, makeAssumeRole, type RoleFailure } from '../aws/signed/assume-role.ts'
import { findProcessSigning, type ProcessSigning } from '../config/env.ts'
import { selectOwnHeaders } from './outgoing-headers.ts'

export type SignedUpstreamOptions = {
  /** Sends the signed requests. */
  readonly http: Upstream
  readonly clock: Pick<Clock, 'nowMs' | 'sleep'>
  readonly log: Pick<Log, 'note'>
  readonly rules: SigningRules
  /** What the process signs with, read for each request; default: its environment. */
  readonly own?: () => ProcessSigning | undefined
}

export type UpstreamSigner = {
  /**
   * Returns the request with the headers of its signature, or why nothing may be sent. The request
   * must have `signing`.
   */
  sign(
    request: UpstreamRequest,
    limits: SignLimits,
  ): Promise<Result<UpstreamRequest, UpstreamAnswer>>
  close(): void
}

type SignLimits = Pick<UpstreamLimits, 'onSigned' | 'signal' | 'uid'>

/** `close` ends the idle connections to STS. */
export function signedUpstream(options: SignedUpstreamOptions): Upstream & { close(): void } {
  const { http } = options
  const signer = makeUpstreamSigner(options)
  return {
    send: async (request, limits) => {
      const signed = await signer.sign(request, limits)
      return signed.ok ? http.send(signed.value, limits) : signed.error
    },
    close: () => signer.close(),
  }
}

/** Signers of services and regions; each keeps the key of its day. */
const SIGNERS_MAX = 200

export function makeUpstreamSigner(options: Omit<SignedUpstreamOptions, 'http'>): UpstreamSigner {
  const { clock, log, own = findProcessSigning, rules } = options
  const sts = makeAssumeRole(clock)
  const signers = new Map<string, Sign>()
  const findSigner = ({ region, role, service }: AwsSigning): Sign => {
    const key = `${service} ${region} ${role?.arn ?? ''}`
    const known = signers.get(key) ?? makeSigner(service, region)
    keepYoungest(signers, key, known, SIGNERS_MAX)
    return known
  }
  return {
    sign: async (request, limits) => {
      const { signing, url } = request
      if (signing === undefined) return refuseTarget('the request is not one for AWS')
      const denied = findDenial(url, signing, rules)
      if (denied !== undefined) return refuseTarget(denied)
      const process = own()
      if (process === undefined) return refuseTarget(NO_CREDENTIALS)
      const by = await findCredentials({ assume: sts.assume, log, process }, signing, limits)
      if (!by.ok) return by
      return signRequest(request, findSigner(signing), {
        by: by.value,
        limits,
        nowMs: clock.nowMs(),
      })
    },
    close: () => sts.close(),
  }
}

const NO_CREDENTIALS =
  'the gateway has no AWS credentials; start it with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'

type Signing = {
  readonly by: Credentials
  readonly limits: SignLimits
  readonly nowMs: number
}

/** Headers that are not sent must not be signed, so they are selected first. */
function signRequest(
  request: UpstreamRequest,
  sign: Sign,
  { by, limits, nowMs }: Signing,
): Result<UpstreamRequest, UpstreamAnswer> {
  const own = selectOwnHeaders(request)
  if (!own.ok) return refuseTarget(own.error)
  const url = toSignableUrl(new URL(request.url))
  const { body, method } = request
  const signed = sign({ method, url, headers: Object.fromEntries(own.value), body }, by, nowMs)
  const { host: _, ...headers } = signed
  if (by.sessionToken !== undefined) limits.onSigned?.('AWS_SESSION_TOKEN', by.sessionToken)
  const [, signature = ''] = /Signature=(.*)$/.exec(signed['authorization'] ?? '') ?? []
  limits.onSigned?.('AWS_SIGNATURE', signature)
  return ok({ ...request, url: url.href, headers })
}

type Finding = {
  readonly assume: AssumeRole
  readonly log: Pick<Log, 'note'>
  readonly process: ProcessSigning
}

async function findCredentials(
  { assume, log, process }: Finding,
  { region, role }: AwsSigning,
  { signal, uid }: SignLimits,
): Promise<Result<Credentials, UpstreamAnswer>> {
  const { credentials, stsEndpoint: endpoint } = process
  if (role === undefined) return ok(credentials)
  const session = await unlessAborted(assume({ role, region, uid, endpoint }, credentials), signal)
  if (session === undefined) return err({ kind: 'cut' })
  if (session.ok) return session
  const { cause, kind } = session.error
  log.note('warn', 'role-not-assumed', { uid, why: kind }, cause)
  return refuseTarget(ROLE_FAILURES[kind])
}

const ROLE_FAILURES: { readonly [K in RoleFailure['kind']]: string } = {
  denied:
    "AWS does not let the gateway assume the role of the skill; an administrator must allow sts:AssumeRole on it to the gateway's functions (signedAccess), and name their roles and the external id in the role's trust policy",
  failed: 'STS did not give the gateway a session of the role of the skill; try again in a moment',
}

/** Undefined if the signal aborts first; the work goes on. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>()
  const leave = () => resolve(undefined)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  return promise
}

function refuseTarget(detail: string): Result<never, UpstreamAnswer> {
  return err({ kind: 'refused_target', detail })
}
