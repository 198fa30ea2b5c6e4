/**
 * Runs the migration step by step to the end of the table. The cursor is saved after each step, so
 * that an interrupted run continues at that point. A step that is repeated changes nothing the
 * second time.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { writeWholeFile } from '../../../adapters/profiles/whole-file.ts'
import { err, ok, type Refusal, type Result } from '../../../core/errors.ts'
import { migrateTable } from '../../../core/flow/migration/migrate-table.ts'
import type { MigrateNeeds } from '../../../core/flow/migration/migrate-user.ts'
import { writeCursorRule } from '../../../core/json/cursor.ts'
import type { V0Problem } from '../../../core/ledger/v0.ts'
import type { MigrateOptions } from './options.ts'
import { formatCounts, type MigrateProgress, type Progress } from './progress.ts'

export type MigrateOutcome = {
  readonly standing: MigrateProgress
  readonly skipped: readonly V0Problem[]
  /** Undefined if the whole table was read. */
  readonly stopped: Stopped | undefined
}

/** Why a run stopped early, and the cursor to continue from; no cursor if it cannot continue. */
type Stopped = { readonly why: string; readonly cursor: string | undefined }

/**
 * Runs steps until the end or the first failure. Failures are part of the outcome; none is thrown.
 */
export async function runMigration(
  ports: MigrateNeeds,
  options: Omit<MigrateOptions, 'where'>,
  shown: { readonly progress: Progress; readonly recordsInAll: number | undefined },
): Promise<MigrateOutcome> {
  const { close, dryRun, stepRecords: limit } = options
  const skipped = new Map<string, V0Problem>()
  const sums = { records: 0, moved: 0, folded: 0, credits: 0 }
  const { recordsInAll } = shown
  const standing = (): MigrateProgress => ({ ...sums, recordsInAll, skipped: skipped.size })
  const place = readSavedCursor(options)
  if (!place.ok) {
    const stopped = { why: place.error, cursor: undefined }
    return { standing: standing(), skipped: [], stopped }
  }
  let cursor = options.cursor ?? place.value
  for (;;) {
    const step = await migrateTable(ports, { cursor, dryRun, close, limit }).then(
      (result) => (result.ok ? result.value : explainRefusal(options, result.error, cursor)),
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
    saveCursor(options, cursor)
    shown.progress.show(standing())
    if (cursor === undefined) {
      return { standing: standing(), skipped: [...skipped.values()], stopped: undefined }
    }
  }
}

/** Explains a refused step. For an invalid cursor the explanation names the option that gave it. */
function explainRefusal(
  { cursorFile }: Pick<MigrateOptions, 'cursorFile'>,
  { detail, faults = [] }: Refusal,
  cursor: string | undefined,
): Stopped {
  if (!faults.some(({ pointer }) => pointer === '/cursor')) return { why: detail, cursor }
  const given = cursorFile === undefined ? '--cursor' : `--cursor-file: the cursor in ${cursorFile}`
  return {
    why: `${given}: ${writeCursorRule('the cursor where an earlier run stopped')}`,
    cursor: undefined,
  }
}

/** Returns the report at the end as lines. */
export function formatMigrationSummary(
  { skipped, standing, stopped }: MigrateOutcome,
  { cursorFile, dryRun }: Pick<MigrateOptions, 'cursorFile' | 'dryRun'>,
): readonly string[] {
  const counts = formatCounts(standing)
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

/** Returns 1 if records stay behind or the run stopped early, else 0. */
export function toExitCode({ skipped, stopped }: MigrateOutcome): 0 | 1 {
  return skipped.length > 0 || stopped !== undefined ? 1 : 0
}

type CursorPlace = Pick<MigrateOptions, 'close' | 'cursorFile' | 'dryRun'>

/**
 * Reads the saved cursor. A real run is refused the cursor of a dry run, because the records before
 * that cursor were not moved.
 */
function readSavedCursor(options: CursorPlace): Result<string | undefined, string> {
  const { cursorFile: file } = options
  if (file === undefined || !existsSync(file)) return ok(undefined)
  const [mode, cursor] = readFileSync(file, 'utf8').trim().split(' ')
  if (mode === getModeName(options)) return ok(cursor)
  return err(
    `${file}: holds the cursor of another kind of run (${mode}); remove the file or name another`,
  )
}

/** Saves the cursor atomically: after an interruption the previous cursor is still there. */
function saveCursor(options: CursorPlace, cursor: string | undefined): void {
  const { cursorFile: file } = options
  if (file === undefined) return
  if (cursor === undefined) {
    rmSync(file, { force: true })
    return
  }
  writeWholeFile(file, `${getModeName(options)} ${cursor}\n`)
}

function getModeName({ close, dryRun }: CursorPlace): string {
  if (dryRun) return 'dry-run'
  return close ? 'close' : 'apply'
}
