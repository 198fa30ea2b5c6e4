/**
 * The two logs of a twin: lines for the person at the terminal, and the same events in the data
 * folder, for `skillgate logs`. A twin in memory has only the first.
 */
import { findTwinLogFiles } from '../../adapters/profiles/twin-log.ts'
import { makeJsonLog } from '../../adapters/telemetry/json-log.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import { readErrorCode } from '../start-fault.ts'
import { createTwinLog, type TwinPrint } from '../terminal/twin-log.ts'
import { type LogFile, openLogFile } from './log-file.ts'

export type TwinLogs = {
  readonly log: Log
  close(): Promise<void>
}

export function openTwinLogs(twin: {
  /** The data folder; undefined for a twin in memory. */
  readonly folder: string | undefined
  readonly json: boolean
  readonly print: TwinPrint
  readonly clock: Clock
}): TwinLogs {
  const { clock, folder, json, print } = twin
  const onFault = (cause: unknown) =>
    log.note('warn', 'log-not-kept', { code: readErrorCode(cause) }, cause)
  const onDropped = (count: number) => log.note('warn', 'log-lines-dropped', { count })
  const file =
    folder === undefined ? undefined : openLogFile(findTwinLogFiles(folder), { onDropped, onFault })
  const log = json ? writeJsonToBoth(print, file, clock) : writeLinesAndJson(print, file, clock)
  return { log, close: async () => file?.close() }
}

/** Writes one line of JSON to both, which costs half as much as two lines. */
function writeJsonToBoth(print: TwinPrint, file: LogFile | undefined, clock: Clock): Log {
  const write = (line: string) => {
    print.note(line.trimEnd())
    file?.write(line)
  }
  return makeJsonLog({ write, clock })
}

function writeLinesAndJson(print: TwinPrint, file: LogFile | undefined, clock: Clock): Log {
  const terminalLog = createTwinLog(print, () => new Date())
  return file === undefined
    ? terminalLog
    : combine(terminalLog, makeJsonLog({ write: file.write, clock }))
}

function combine(first: Log, second: Log): Log {
  return {
    call: (line) => {
      first.call(line)
      second.call(line)
    },
    note: (...words) => {
      first.note(...words)
      second.note(...words)
    },
  }
}
