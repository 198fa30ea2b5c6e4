/**
 * Sessions of roles from STS, one for each role, external id, region and user. A session is kept
 * until 60 s before it ends. Callers that need the same one at once share one request, which a
 * caller that leaves does not end. Bound by
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 */
import { hash } from 'node:crypto'
import { SaxesParser } from 'saxes'
import { keepYoungest } from '../../../core/cache/keep-youngest.ts'
import { err, ok, type Result } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports/outside.ts'
import type { AwsSigning } from '../../../core/skills/skill.ts'
import { type Exchange, type HttpAnswer, makeHttpExchange } from '../exchange.ts'
import { makeAwsHost } from '../partition.ts'
import { type Credentials, makeSigner, type Sign } from '../sign-request.ts'
import { drawRetryPauseMs } from './retry-budget.ts'
import { classifyError, ServiceError } from './service-error.ts'

/** Sessions that are kept; about 2 kB each, for as many users within an hour. */
export const ROLE_SESSIONS_MAX = 1_000
/** A kept session ends this long before STS ends it, so that a request that is on its way counts. */
export const ROLE_SESSION_MARGIN_MS = 60_000

const LIMITS = {
  connectionTimeoutMs: 1_000,
  requestTimeoutMs: 4_000,
  socketsMax: 16,
  idleSocketMs: 4_000,
  answerBytesMax: 65_536,
} as const
/** A call has 15 s; a second try still leaves time for its upstream. */
export const ASSUME_TRIES_MAX = 2
const FIRST_PAUSE_MS = 50
const SIGNERS_MAX = 40

export type Role = NonNullable<AwsSigning['role']>

export type RoleWanted = {
  readonly role: Role
  readonly region: string
  readonly uid: string
  /** Replaces STS of the region, as an emulator does. */
  readonly endpoint?: string | undefined
}

/** `denied`: IAM refused; `failed`: STS could not be reached, or its answer could not be read. */
export type RoleFailure = { readonly kind: 'denied' | 'failed'; readonly cause: Error }

/** Never rejects. */
export type AssumeRole = (
  wanted: RoleWanted,
  by: Credentials,
) => Promise<Result<Credentials, RoleFailure>>

type Session = { readonly credentials: Credentials; readonly untilMs: number }

export function makeAssumeRole(clock: Pick<Clock, 'nowMs' | 'sleep'>): {
  readonly assume: AssumeRole
  close(): void
} {
  const exchange = makeHttpExchange('sts', LIMITS, { nowMs: () => clock.nowMs() })
  const sessions = new Map<string, Session>()
  const running = new Map<string, Promise<Result<Session, RoleFailure>>>()
  const signers = new Map<string, Sign>()
  const findSigner = (region: string): Sign => {
    const known = signers.get(region) ?? makeSigner('sts', region)
    keepYoungest(signers, region, known, SIGNERS_MAX)
    return known
  }
  const start = async (key: string, wanted: RoleWanted, by: Credentials) => {
    try {
      const sts = { clock, exchange, sign: findSigner(wanted.region) }
      const session = await askSts(sts, wanted, by)
      if (session.ok) keepYoungest(sessions, key, session.value, ROLE_SESSIONS_MAX)
      return session
    } finally {
      running.delete(key)
    }
  }
  const assume: AssumeRole = async (wanted, by) => {
    const { region, role, uid } = wanted
    const key = JSON.stringify([role.arn, role.externalId, region, uid])
    const kept = sessions.get(key)
    if (kept !== undefined && clock.nowMs() < kept.untilMs) return ok(kept.credentials)
    const asked = running.get(key) ?? start(key, wanted, by)
    running.set(key, asked)
    const session = await asked
    return session.ok ? ok(session.value.credentials) : session
  }
  return { assume, close: () => exchange.close() }
}

type Sts = {
  readonly clock: Pick<Clock, 'nowMs' | 'sleep'>
  readonly exchange: Exchange
  readonly sign: Sign
}

async function askSts(
  sts: Sts,
  wanted: RoleWanted,
  by: Credentials,
): Promise<Result<Session, RoleFailure>> {
  for (let tries = 1; ; tries += 1) {
    const asked = await tryOnce(sts, wanted, by)
    if (asked instanceof Error === false) return ok(asked)
    const pauseMs = tries < ASSUME_TRIES_MAX ? findPauseMs(asked, tries) : undefined
    if (pauseMs === undefined)
      return err({ kind: isDenial(asked) ? 'denied' : 'failed', cause: asked })
    await sts.clock.sleep(pauseMs)
  }
}

async function tryOnce(sts: Sts, wanted: RoleWanted, by: Credentials): Promise<Session | Error> {
  try {
    return await askOnce(sts, wanted, by)
  } catch (cause) {
    if (cause instanceof Error) return cause
    throw cause
  }
}

/** Undefined if another try would fail, too. */
function findPauseMs(cause: Error, tries: number): number | undefined {
  const trouble = classifyError(cause)
  return trouble === 'throttled' || trouble === 'transient'
    ? drawRetryPauseMs({ trouble, tries, pauseMs: FIRST_PAUSE_MS })
    : undefined
}

function isDenial(cause: Error): boolean {
  return cause instanceof ServiceError && cause.$metadata.httpStatusCode === 403
}

async function askOnce(sts: Sts, wanted: RoleWanted, by: Credentials): Promise<Session> {
  const { clock, exchange, sign } = sts
  const request = {
    method: 'POST',
    url: new URL(wanted.endpoint ?? `https://${makeAwsHost('sts', wanted.region)}/`),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: writeForm(wanted),
  }
  const headers = sign(request, by, clock.nowMs())
  const answer = await exchange.send({ ...request, headers })
  const texts = readXml(answer.body.toString('utf8'))
  if (answer.status !== 200) throw makeStsError(answer, texts)
  return readSession(answer, texts)
}

function writeForm({ role, uid }: RoleWanted): string {
  const form = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: role.arn,
    RoleSessionName: toSessionName(uid),
  })
  if (role.externalId !== undefined) form.set('ExternalId', role.externalId)
  return form.toString()
}

/** The form of AWS, without `=`, which only names with a digest have. */
const PLAIN_NAME = /^[A-Za-z0-9_+,.@-]{2,64}$/
const PREFIX_CHARS = 40
const DIGEST_CHARS = 22

/** The uid itself if it can name a session; otherwise its start and a digest: one for each uid. */
export function toSessionName(uid: string): string {
  if (PLAIN_NAME.test(uid)) return uid
  const start = uid.replaceAll(/[^A-Za-z0-9_+,.@-]/g, '-').slice(0, PREFIX_CHARS)
  return `${start}=${hash('sha256', uid, 'base64url').slice(0, DIGEST_CHARS)}`
}

type Texts = ReadonlyMap<string, string>

/** The texts of elements without children, by name; of a repeated name, the last one. */
function readXml(xml: string): Texts {
  const texts = new Map<string, string>()
  let text = ''
  const parser = new SaxesParser()
  parser.on('opentag', () => {
    text = ''
  })
  parser.on('text', (more) => {
    text += more
  })
  parser.on('closetag', ({ name }) => {
    if (text !== '') texts.set(name, text.trim())
    text = ''
  })
  let isReadable = true
  parser.on('error', () => {
    isReadable = false
  })
  parser.write(xml).close()
  return isReadable ? texts : new Map()
}

function makeStsError(answer: HttpAnswer, texts: Texts): ServiceError {
  const name = texts.get('Code') ?? 'UnknownError'
  return new ServiceError(name, texts.get('Message') ?? name, answer)
}

function readSession(answer: HttpAnswer, texts: Texts): Session {
  const accessKeyId = texts.get('AccessKeyId') ?? ''
  const secretAccessKey = texts.get('SecretAccessKey') ?? ''
  const sessionToken = texts.get('SessionToken') ?? ''
  const endsAtMs = Date.parse(texts.get('Expiration') ?? '')
  if ([accessKeyId, secretAccessKey, sessionToken].includes('') || Number.isNaN(endsAtMs)) {
    throw new ServiceError('UnreadableAnswer', 'sts: the answer has no credentials', answer)
  }
  const credentials = { accessKeyId, secretAccessKey, sessionToken }
  return { credentials, untilMs: endsAtMs - ROLE_SESSION_MARGIN_MS }
}
