/**
 * The log that a twin keeps in its data folder: where it is and how large it becomes. The twin writes it
 * (local/log/log-file.ts) and the command line reads it (cli/logs/twin-log.ts). Its lines are those that a
 * deployed function logs, without metrics.
 */
import { join } from 'node:path'

export type TwinLogFiles = {
  /** Lines are added to it. */
  readonly current: string
  /** The lines before those of `current`; missing until `current` was full once. */
  readonly earlier: string
}

/**
 * About 25,000 calls. A line that would make the file larger begins a new one; so both files together take at
 * most twice as much.
 */
export const TWIN_LOG_BYTES_MAX = 8_388_608

export function twinLogFiles(folder: string): TwinLogFiles {
  const current = join(folder, 'log.ndjson')
  return { current, earlier: `${current}.1` }
}
