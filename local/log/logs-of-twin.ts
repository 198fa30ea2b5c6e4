/**
 * The two logs of a twin: lines for the person who looks at it, and the same events in its data folder, for
 * `skillgate logs`. A twin in memory has the first alone.
 */
import { twinLogFiles } from '../../adapters/profiles/twin-log.ts'
import { jsonLog } from '../../adapters/telemetry/json-log.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import { errorCode } from '../start-fault.ts'
import { type TwinPrint, twinLog } from '../terminal/twin-log.ts'
import { type LogFile, openLogFile } from './log-file.ts'

export type TwinLogs = {
  readonly log: Log
  close(): Promise<void>
}

export function logsOfTwin(twin: {
  /** Undefined in memory. */
  readonly folder: string | undefined
  readonly json: boolean
  readonly print: TwinPrint
  readonly clock: Clock
}): TwinLogs {
  const { clock, folder, json, print } = twin
  const onFault = (cause: unknown) =>
    log.note('warn', 'log-not-kept', { code: errorCode(cause) }, cause)
  const onDropped = (count: number) => log.note('warn', 'log-lines-dropped', { count })
  const file =
    folder === undefined ? undefined : openLogFile(twinLogFiles(folder), { onDropped, onFault })
  const log = json ? jsonToBoth(print, file, clock) : linesAndJson(print, file, clock)
  return { log, close: async () => file?.close() }
}

/** One line of JSON for both costs half of two. */
function jsonToBoth(print: TwinPrint, file: LogFile | undefined, clock: Clock): Log {
  const write = (line: string) => {
    print.note(line.trimEnd())
    file?.write(line)
  }
  return jsonLog({ write, clock })
}

function linesAndJson(print: TwinPrint, file: LogFile | undefined, clock: Clock): Log {
  const shown = twinLog(print, () => new Date())
  return file === undefined ? shown : both(shown, jsonLog({ write: file.write, clock }))
}

function both(first: Log, second: Log): Log {
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
