/**
 * Where a twin's log files are, and how large they become. The twin writes them
 * (local/log/log-file.ts) and the command line reads them (cli/logs/twin-log.ts). The lines are
 * those of a deployed function, without metrics.
 */
import { join } from 'node:path'

export type TwinLogFiles = {
  /** The file to which lines are added. */
  readonly current: string
  /** The lines before those in `current`; missing until `current` was full once. */
  readonly earlier: string
}

/**
 * Bytes of a log file, about 25,000 calls. A line over this limit begins a new file; two are kept.
 */
export const TWIN_LOG_BYTES_MAX = 8_388_608

export function findTwinLogFiles(folder: string): TwinLogFiles {
  const current = join(folder, 'log.ndjson')
  return { current, earlier: `${current}.1` }
}
