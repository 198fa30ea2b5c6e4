/** Records with fresh random keys, as the contract suites use them. */
import { randomBytes } from 'node:crypto'
import type { KeyRecord } from '../../core/access/principal.ts'
import type { AnswerClaim } from '../../core/call/idempotency.ts'
import type { Hold, NewHold, Outcome, Profile } from '../../core/ledger/ledger.ts'
import type { StoredSecret } from '../../core/secrets/secret.ts'
import type { PendingRequest, Session } from '../../core/session/session.ts'
import type { SkillRecord, Tool } from '../../core/skills/skill.ts'
import type { StorePorts } from './store-ports.ts'

/** 43 base64url characters, like every hash that is a key. */
export function freshHash(): string {
  return randomBytes(32).toString('base64url')
}

export function freshName(prefix: string): string {
  return `${prefix}${randomBytes(6).toString('hex')}`
}

export function keyOf(keyHash: string, more: Partial<KeyRecord> = {}): KeyRecord {
  return {
    keyHash,
    uid: 'u-1',
    username: 'ada',
    keyPrefix: 'sgk_ab12',
    createdAtMs: 2_000_000_000_000,
    expiresAtMs: 2_002_592_000_000,
    renewedAtMs: 2_000_000_000_000,
    ...more,
  }
}

export function claimOf(id: string, more: Partial<AnswerClaim> = {}): AnswerClaim {
  return {
    id,
    bodyHash: 'body-1',
    sealingKeyHash: 'key-1',
    uid: 'u-1',
    callId: '1q6a0k000-c1',
    writeToken: freshName('a-'),
    claimedAtMs: 2_000_000_000_000,
    ...more,
  }
}

export function profileOf(uid: string, more: Partial<Profile> = {}): Profile {
  return {
    uid,
    username: 'ada',
    tier: 'free',
    credits: 0,
    holds: {},
    createdAtMs: 1_999_999_000_000,
    skillsChangedAtMs: 0,
    ...more,
  }
}

/** Creates a user with `credits` micro-credits; returns the uid. */
export async function freshUser(ports: StorePorts, credits: number): Promise<string> {
  const uid = freshName('u-')
  await ports.profiles.create(profileOf(uid, { credits }))
  return uid
}

export function holdOf(amount: number, more: Partial<NewHold> = {}): NewHold {
  return {
    amount,
    heldAtMs: 2_000_000_000_000,
    writeToken: freshName('m-'),
    skillId: 'sg_weather',
    source: 'official',
    ...more,
  }
}

/** The hold as the profile has it, as the user's n-th, from 1. */
export function heldAs(placement: number, hold: NewHold): Hold {
  return { ...hold, placement }
}

/** An outcome of the user's first hold, unless another is given. */
export function settledOf(uid: string, callId: string, amount: number): Outcome {
  return {
    uid,
    callId,
    skillId: 'sg_weather',
    source: 'official',
    skillVersion: 3,
    state: 'settled',
    reason: undefined,
    amount,
    placement: 1,
    createdAtMs: 2_000_000_000_000,
    endedAtMs: 2_000_000_000_250,
    durationMs: 250,
    upstreamStatus: 200,
  }
}

export function refundedOf(uid: string, callId: string, amount: number): Outcome {
  return {
    ...settledOf(uid, callId, amount),
    state: 'refunded',
    reason: 'upstream_failed',
    upstreamStatus: undefined,
  }
}

export function skillOf(skillId: string, more: Partial<SkillRecord> = {}): SkillRecord {
  return {
    skillId,
    source: 'official',
    uid: undefined,
    toolName: skillId,
    definition: { id: skillId, credits_per_call: 0.5 },
    createdAtMs: 1_999_999_000_000,
    updatedAtMs: 1_999_999_000_000,
    version: 1,
    by: 'admin',
    origin: 'sync',
    ...more,
  }
}

export function privateSkillOf(
  uid: string,
  skillId: string,
  more: Partial<SkillRecord> = {},
): SkillRecord {
  return skillOf(skillId, { source: 'private', uid, toolName: `ada_${skillId}`, ...more })
}

/** A user's secret as `secrets.put` takes it; a global one unless a skill is given. */
export function secretOf(
  uid: string,
  name: string,
  more: Partial<StoredSecret> = {},
): StoredSecret & { readonly uid: string } {
  return {
    uid,
    skillId: undefined,
    name,
    sealed: new Uint8Array([0, 1, 254, 255]),
    updatedAtMs: 2_000_000_000_000,
    binding: '{"origins":[]}',
    ...more,
  }
}

/** A session as `sessions.create` takes it: alive for 75 s from the clock's now. */
export function sessionOf(ports: StorePorts, more: Partial<Session> = {}): Session {
  const nowMs = ports.clock.nowMs()
  return {
    hash: freshHash(),
    keyHash: freshHash(),
    uid: 'u-1',
    sealedCredential: new Uint8Array([0, 1, 254, 255]),
    createdAtMs: nowMs,
    lastPostAtMs: nowMs,
    aliveUntilMs: nowMs + 75_000,
    endedAtMs: undefined,
    seq: 0,
    base: 0,
    pending: [],
    ...more,
  }
}

/** Creates a session; returns its hash. */
export async function freshSession(
  ports: StorePorts,
  more: Partial<Session> = {},
): Promise<string> {
  const session = sessionOf(ports, more)
  await ports.sessions.create(session)
  return session.hash
}

export function requestOf(id: string, more: Partial<PendingRequest> = {}): PendingRequest {
  return { id, postedAtMs: 2_000_000_000_000, calls: true, ...more }
}

/** Posts one request into the session; returns its seq. */
export async function acceptOne(ports: StorePorts, hash: string, id: string): Promise<number> {
  const session = await ports.sessions.accept({
    hash,
    nowMs: ports.clock.nowMs(),
    writeToken: freshName('p-'),
    request: requestOf(id, { postedAtMs: ports.clock.nowMs() }),
  })
  return acceptedIn(session).seq
}

/** The session that an accept answered; throws where the POST was refused. */
export function acceptedIn(answer: Session | 'full' | undefined): Session {
  if (answer === undefined || answer === 'full') throw new Error('the session takes no requests')
  return answer
}

/** Calls `make(0…count-1)`, starting all of them before any has ended. */
export function atOnce<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)))
}

/** An entry of a tool list. */
export function toolOf(name: string, more: Partial<Tool> = {}): Tool {
  return {
    name,
    title: undefined,
    description: 'Says something.',
    inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
    skillId: name,
    priceMicroCredits: 500_000,
    ...more,
  }
}

/** `length` characters that gzip cannot shorten much, the same for the same seed. */
export function noise(seed: number, length: number): string {
  let state = seed + 1
  let text = ''
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    text += String.fromCharCode(33 + ((state >>> 16) % 90))
  }
  return text
}
