/**
 * Moves the aliases of a stage from their versions to the newest ones: first a tenth of the
 * requests for some minutes, while the gate is watched, and then all. Anything that fails meanwhile
 * moves the aliases back, except another command that has taken over:
 *
 *   deploy A   10 % → 8 ────────────── whole → 8: refused by the revision, stops and leaves all
 *   rollback           whole → 7
 *
 * If A had moved some aliases whole by then, the rollback's own move was refused there, and it
 * reads and moves again (rollback.ts). If A dies or is interrupted, its tenth goes on until the next
 * deploy or rollback.
 */
import type { AwsAccount } from '../../aws/ask-service.ts'
import { describeCause } from '../program.ts'
import { AliasMoved, type AliasState, moveAlias } from './aliases.ts'
import { readGate } from './gate.ts'
import type { Pause } from './stack.ts'

/** The part of the requests that a canary gets. */
const CANARY_WEIGHT = 0.1
const GATE_POLL_MS = 15_000
const MS_PER_MIN = 60_000
/** Reads of the gate that may fail in a row. An unread gate holds nothing back. */
const GATE_FAILURES_MAX = 3

export type Shift = {
  readonly stage: string
  /** The aliases to move, as they were read. */
  readonly moves: readonly AliasState[]
  /** 0 moves all at once. */
  readonly minutes: number
}

export type Progress = { readonly say: (line: string) => void; readonly pause: Pause }

/** The aliases stand between two versions: the shift was interrupted, or could not be taken back. */
export class ShiftStuck extends Error {
  override readonly name = 'ShiftStuck'
}

/**
 * Moves the aliases. Throws an Error after it has moved them back, an {@link AliasMoved} if another
 * command moved one of them, or a {@link ShiftStuck}.
 */
export async function shiftAliases(
  account: AwsAccount,
  { minutes, moves, stage }: Shift,
  progress: Progress,
): Promise<void> {
  let states = moves
  const move = async (change: (state: AliasState) => Promise<AliasState>) => {
    const done = await Promise.allSettled(states.map(change))
    // Those that moved are known by their new revision, also if others failed.
    states = states.map((state, index) => {
      const one = done[index]
      return one?.status === 'fulfilled' ? one.value : state
    })
    const failed = done.filter((one) => one.status === 'rejected').map(({ reason }) => reason)
    const cause = failed.find((one) => one instanceof AliasMoved) ?? failed[0]
    if (cause !== undefined) throw cause
  }
  try {
    if (minutes > 0) {
      const ringing = await readFirstGate(account, stage, progress)
      progress.say(`10 % of the requests go to the new versions for ${minutes} minutes`)
      await move((state) => startCanary(account, state))
      await watchGate(account, { stage, minutes, ringing }, progress)
    }
    await move((state) => moveAlias(account, state, state.door.newest))
    progress.say('all requests go to the new versions')
  } catch (cause) {
    if (cause instanceof AliasMoved) throw cause
    if (cause instanceof Error && cause.name === 'AbortError') {
      throw new ShiftStuck('interrupted', { cause })
    }
    progress.say(`moving back: ${describeCause(cause)}`)
    const versions = new Map(moves.map((state) => [toKey(state), state.version]))
    await move((state) =>
      moveAlias(account, state, versions.get(toKey(state)) ?? state.version),
    ).catch((second: unknown) => {
      if (second instanceof AliasMoved) throw second
      throw new ShiftStuck(`not all functions could be moved back: ${describeCause(second)}`, {
        cause: second,
      })
    })
    progress.say('all requests go to the versions from before')
    throw cause
  }
}

/** An alias that stands at the newest version already has an earlier canary to lose, and no more. */
async function startCanary(account: AwsAccount, state: AliasState): Promise<AliasState> {
  const version = state.door.newest
  if (state.version === version) return state
  return moveAlias(account, state, state.version, { version, weight: CANARY_WEIGHT })
}

function toKey({ alias, door }: AliasState): string {
  return `${door.functionName}:${alias}`
}

/** Returns the alarms that ring already, which tell nothing of the new versions. */
async function readFirstGate(
  account: AwsAccount,
  stage: string,
  { say }: Progress,
): Promise<readonly string[]> {
  const { known, ringing } = await readGate(account, stage)
  if (known.length === 0) say('the stage has no composite alarms: nothing is watched')
  else say(`watching ${known.join(' and ')}`)
  if (ringing.length > 0) say(`rings already, and does not count: ${ringing.join(' and ')}`)
  return ringing
}

/** Polls the gate until the minutes are over. Throws an Error if an alarm begins to ring. */
async function watchGate(
  account: AwsAccount,
  gate: { readonly stage: string; readonly minutes: number; readonly ringing: readonly string[] },
  { pause, say }: Progress,
): Promise<void> {
  const polls = Math.ceil((gate.minutes * MS_PER_MIN) / GATE_POLL_MS)
  let failures = 0
  for (let poll = 1; poll <= polls; poll += 1) {
    await pause(GATE_POLL_MS)
    const read = await readGate(account, gate.stage).catch((cause: unknown) => cause)
    if (isGate(read)) {
      failures = 0
      const began = read.ringing.filter((name) => !gate.ringing.includes(name))
      if (began.length > 0) throw new Error(`${began.join(' and ')} rings`)
    } else {
      failures += 1
      say(`the alarms could not be read: ${describeCause(read)}`)
      if (failures === GATE_FAILURES_MAX) throw new Error('the alarms cannot be read')
    }
    if ((poll * GATE_POLL_MS) % MS_PER_MIN === 0 && poll < polls) {
      say(`no alarm after ${(poll * GATE_POLL_MS) / MS_PER_MIN} of ${gate.minutes} minutes`)
    }
  }
}

function isGate(value: unknown): value is Awaited<ReturnType<typeof readGate>> {
  return typeof value === 'object' && value !== null && 'ringing' in value
}
