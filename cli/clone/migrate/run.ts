/**
 * Runs step after step until the table's end, and saves the place after each, so that an
 * interrupted run continues where it stopped. A step that is repeated does nothing the second time.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { writeWhole } from '../../../adapters/profiles/whole-file.ts'
import { err, ok, type Refusal, type Result } from '../../../core/errors.ts'
import { migrateTable } from '../../../core/flow/migration/migrate-table.ts'
import type { MigrateNeeds } from '../../../core/flow/migration/migrate-user.ts'
import { cursorRule } from '../../../core/json/cursor.ts'
import type { V0Fault } from '../../../core/ledger/v0.ts'
import type { MigrateOptions } from './options.ts'
import { countsOf, type MigrateProgress, type Progress } from './progress.ts'

export type MigrateOutcome = {
  readonly standing: MigrateProgress
  readonly skipped: readonly V0Fault[]
  /** Undefined when everything is done. */
  readonly stopped: Stopped | undefined
}

/** Why a run stopped early and where to continue; no cursor where it cannot. */
type Stopped = { readonly why: string; readonly cursor: string | undefined }

export async function runMigration(
  ports: MigrateNeeds,
  options: Omit<MigrateOptions, 'where'>,
  shown: { readonly progress: Progress; readonly recordsInAll: number | undefined },
): Promise<MigrateOutcome> {
  const { close, dryRun, stepRecords: limit } = options
  const skipped = new Map<string, V0Fault>()
  const sums = { records: 0, moved: 0, folded: 0, credits: 0 }
  const { recordsInAll } = shown
  const standing = (): MigrateProgress => ({ ...sums, recordsInAll, skipped: skipped.size })
  const place = keptPlace(options)
  if (!place.ok) {
    const stopped = { why: place.error, cursor: undefined }
    return { standing: standing(), skipped: [], stopped }
  }
  let cursor = options.cursor ?? place.value
  for (;;) {
    const step = await migrateTable(ports, { cursor, dryRun, close, limit }).then(
      (result) => (result.ok ? result.value : refusedAt(options, result.error, cursor)),
      (cause: unknown) => ({ why: cause instanceof Error ? cause.message : String(cause), cursor }),
    )
    if ('why' in step) {
      return { standing: standing(), skipped: [...skipped.values()], stopped: step }
    }
    sums.records += limit
    sums.moved += step.moved
    sums.folded += step.folded
    sums.credits += step.credits
    for (const fault of step.skipped) skipped.set(fault.record, fault)
    cursor = step.nextCursor
    keep(options, cursor)
    shown.progress.show(standing())
    if (cursor === undefined) {
      return { standing: standing(), skipped: [...skipped.values()], stopped: undefined }
    }
  }
}

/** A cursor that no step issued is named as the person gave it. */
function refusedAt(
  { cursorFile }: Pick<MigrateOptions, 'cursorFile'>,
  { detail, faults = [] }: Refusal,
  cursor: string | undefined,
): Stopped {
  if (!faults.some(({ pointer }) => pointer === '/cursor')) return { why: detail, cursor }
  const given = cursorFile === undefined ? '--cursor' : `--cursor-file: the cursor in ${cursorFile}`
  return {
    why: `${given}: ${cursorRule('the cursor where an earlier run stopped')}`,
    cursor: undefined,
  }
}

/** The report at the end, line by line. */
export function summaryOf(
  { skipped, standing, stopped }: MigrateOutcome,
  { cursorFile, dryRun }: Pick<MigrateOptions, 'cursorFile' | 'dryRun'>,
): readonly string[] {
  const counts = countsOf(standing)
  const head = dryRun ? `dry run, nothing was changed: ${counts}` : counts
  const faults = skipped.map(({ message, record }) => `  ${record}: ${message}`)
  const again =
    cursorFile === undefined ? `--cursor ${stopped?.cursor ?? ''}` : `--cursor-file ${cursorFile}`
  return [
    head,
    ...(faults.length > 0 ? ['these records stay where they are:', ...faults] : []),
    ...(stopped === undefined ? [] : [`stopped: ${stopped.why}`]),
    ...(stopped?.cursor === undefined ? [] : [`go on with ${again}`]),
  ]
}

/** 1 when records were left behind, or the end was not reached. */
export function exitCodeOf({ skipped, stopped }: MigrateOutcome): 0 | 1 {
  return skipped.length > 0 || stopped !== undefined ? 1 : 0
}

type Place = Pick<MigrateOptions, 'close' | 'cursorFile' | 'dryRun'>

/** A real run must not continue from a dry run's place: the records before it were not moved. */
function keptPlace(options: Place): Result<string | undefined, string> {
  const { cursorFile: file } = options
  if (file === undefined || !existsSync(file)) return ok(undefined)
  const [mode, cursor] = readFileSync(file, 'utf8').trim().split(' ')
  if (mode === modeOf(options)) return ok(cursor)
  return err(
    `${file}: holds the cursor of another kind of run (${mode}); remove the file or name another`,
  )
}

/** Atomic: after an interruption the previous place is still there. */
function keep(options: Place, cursor: string | undefined): void {
  const { cursorFile: file } = options
  if (file === undefined) return
  if (cursor === undefined) {
    rmSync(file, { force: true })
    return
  }
  writeWhole(file, `${modeOf(options)} ${cursor}\n`)
}

function modeOf({ close, dryRun }: Place): string {
  if (dryRun) return 'dry-run'
  return close ? 'close' : 'apply'
}
