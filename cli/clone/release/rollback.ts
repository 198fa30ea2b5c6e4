/**
 * Implements `skillgate rollback`: moves the aliases to the versions of an earlier release, and
 * then tells CloudFormation. It may run during a canary and during a deploy, and it may be run
 * again: it moves what is not there yet.
 *
 *   deploy     UpdateAlias(8, r1) → r2
 *   rollback   reads r1 ─────── UpdateAlias(7, r1): refused ─ reads r2 ─ UpdateAlias(7, r2)
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { toStackName } from '../../../lib/stack-names.ts'
import { type AwsAccount, openAwsAccount } from '../../aws/ask-service.ts'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { describeCause } from '../program.ts'
import { agreeOnVersions } from './agree.ts'
import {
  AliasMoved,
  type AliasState,
  type DoorRelease,
  moveAlias,
  readAliases,
  readDoors,
} from './aliases.ts'
import { areAt, chooseRelease, type Release, readReleases } from './releases.ts'
import { assertSameTable, OtherTable } from './same-table.ts'
import type { Progress } from './shift.ts'
import { type Pause, readStack } from './stack.ts'

/** Tries to move what another command moves at the same time; a deploy moves an alias twice. */
const TRIES_MAX = 5

export type RollbackWords = { readonly stage: string; readonly to: number | undefined }

/** Rolls the stage back and prints each step. `pause` is shorter in tests. */
export async function rollbackStage(
  words: RollbackWords,
  shell: Shell,
  pause: Pause = pauseIn(shell),
): Promise<ExitCode> {
  try {
    return await rollBack(words, shell, { say: makeSay(shell), pause })
  } catch (cause) {
    shell.err.write(`rollback: ${describeCause(cause)}\n`)
    return EXIT.failed
  }
}

async function rollBack(
  { stage, to }: RollbackWords,
  shell: Shell,
  progress: Progress,
): Promise<ExitCode> {
  const account = await openAwsAccount(shell.env)
  const name = toStackName(stage, 'Gateway')
  const stack = await readStack(account, name)
  const record = stack?.outputs['ReleasesParameter']
  if (stack === undefined || record === undefined) {
    throw new Error(`${name} is not deployed in ${account.region}; is the region right?`)
  }
  const doors = readDoors(stack.outputs)
  const [live, kept] = await Promise.all([
    readAliases(account, doors),
    readReleases(account, record),
  ])
  const chosen = chooseRelease(kept, live, to)
  if (!chosen.ok) throw new Error(chosen.error)
  const release = chosen.value
  const goal = { release, stackName: name, stage }
  await assertSameTable(account, goal)
  progress.say(`stage ${stage} goes to release ${release.number} of ${release.at}`)
  if (areAt(live, release)) progress.say('all functions are there already')
  await moveToRelease(account, live, release, progress)
  try {
    await agreeOnVersions(account, name, progress, async (states) => {
      await assertSameTable(account, goal)
      return moveToRelease(account, states, release, progress)
    })
  } catch (cause) {
    if (cause instanceof OtherTable) throw cause
    shell.err.write(
      `The stage is rolled back. CloudFormation does not know it yet: ${describeCause(cause)}\nRun the same command again; the next deploy starts from the live versions in any case.\n`,
    )
    return EXIT.failed
  }
  return EXIT.ok
}

/**
 * Moves each alias to its version of the release and returns where the aliases stand then. If some
 * cannot be moved, moves the others and throws an Error.
 */
async function moveToRelease(
  account: AwsAccount,
  live: readonly AliasState[],
  release: Release,
  { say }: Progress,
): Promise<readonly AliasState[]> {
  const done = await Promise.allSettled(
    live.map(async (state) => {
      const wanted = release.versions[state.door.door]
      if (wanted === undefined || (state.version === wanted && state.canary === undefined)) {
        return state
      }
      const moved = await moveUntilThere(account, state, wanted)
      say(`${formatName(state)}  ${formatVersion(state)} → ${wanted}`)
      return moved
    }),
  )
  const failed = done.filter((one) => one.status === 'rejected')
  if (failed.length > 0) {
    const causes = failed.map(({ reason }) => describeCause(reason)).join('\n  ')
    throw new Error(`${failed.length} of ${done.length} aliases were not moved:\n  ${causes}`)
  }
  return done.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

async function moveUntilThere(
  account: AwsAccount,
  first: AliasState,
  wanted: string,
): Promise<AliasState> {
  let state = first
  for (let tries = 1; ; tries += 1) {
    try {
      return await moveAlias(account, state, wanted)
    } catch (cause) {
      if (!(cause instanceof AliasMoved) || tries === TRIES_MAX) throw cause
      state = await readAgain(account, state)
    }
  }
}

async function readAgain(account: AwsAccount, { alias, door }: AliasState): Promise<AliasState> {
  const one: DoorRelease = { ...door, aliases: [alias] }
  const [state] = await readAliases(account, [one])
  if (state === undefined) throw new Error(`${door.functionName}:${alias} is gone`)
  return { ...state, door }
}

export function formatName({ alias, door }: AliasState): string {
  return `${door.door.toLowerCase()}:${alias}`.padEnd(18)
}

function formatVersion({ canary, version }: AliasState): string {
  return canary === undefined ? version : `${version} (10 % at ${canary})`
}

/** Prints a line with the time of day (UTC). */
export function makeSay({ nowMs, out }: Pick<Shell, 'nowMs' | 'out'>): (line: string) => void {
  return (line) => out.write(`${new Date(nowMs()).toISOString().slice(11, 19)}  ${line}\n`)
}

export function pauseIn({ signal }: Shell): Pause {
  return async (ms) => {
    await sleep(ms, undefined, { signal })
  }
}
