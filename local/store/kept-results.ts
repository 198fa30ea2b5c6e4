/**
 * Results of calls that the twin keeps: in its data folder, or, without one, in a temporary folder
 * that is removed when the twin stops. A sweep removes those whose hour is over.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeFolderKeptResults } from '../../adapters/archive/folder-kept-results.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import type { KeptResults } from '../../core/ports/kept-results.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import { repeat } from '../repeat.ts'
import { toKeptFolder } from './store.ts'

type Needs = {
  /** The data folder; undefined for a twin in memory. */
  readonly folder: string | undefined
  readonly clock: Clock
  readonly log: Log
}

export type OpenKeptResults = {
  readonly keptResults: KeptResults
  close(): Promise<void>
}

const SWEEP_EVERY_MS = 60_000
/** Results of an earlier twin may be over when this one starts. */
const FIRST_SWEEP_MS = 2_000

export function openKeptResults({ clock, folder, log }: Needs): OpenKeptResults {
  const root =
    folder === undefined ? mkdtempSync(join(tmpdir(), 'skillgate-kept-')) : toKeptFolder(folder)
  const { sweep, ...keptResults } = makeFolderKeptResults(root, { clock, digests: nodeDigests() })
  const sweepOnce = async () => {
    await sweep().catch((cause: unknown) => log.note('warn', 'results-not-swept', {}, cause))
    return SWEEP_EVERY_MS
  }
  const sweeper = repeat(sweepOnce, FIRST_SWEEP_MS)
  return {
    keptResults,
    close: async () => {
      await sweeper.stop()
      if (folder === undefined) rmSync(root, { recursive: true, force: true })
    },
  }
}
