/**
 * Starts a deployed function, once per process: reads the configuration that it needs (reporting
 * all errors at once), and opens clock, log and store. Only a handler.ts may import this file,
 * because the twin and the tests host the same code without such an environment.
 */
import type { Config, ConfigName } from '../adapters/config/config.ts'
import { readProcessConfig } from '../adapters/config/env.ts'
import { systemClock } from '../adapters/crypto/system-clock.ts'
import { type DynamoStore, makeStore } from '../adapters/dynamodb/client/document-store.ts'
import type { FunctionClient } from '../adapters/dynamodb/client/store-requests.ts'
import { makeJsonLog } from '../adapters/telemetry/json-log.ts'
import type { Clock, Log } from '../core/ports/outside.ts'

type AlwaysNeeded = 'tables' | 'telemetry'

export type StartedFunction<N extends ConfigName> = {
  readonly config: Readonly<Pick<Config, N | AlwaysNeeded>>
  readonly clock: Clock
  readonly log: Log
  readonly store: DynamoStore
}

/**
 * Starts the function. `door` is the folder's name, which logs and metrics carry. `client` makes
 * the requests to the store (docs/design/store.md#two-clients-of-dynamodb). Throws an Error that names what the configuration lacks.
 */
export function startFunction<N extends ConfigName, C extends ConfigName>(
  door: string,
  needs: readonly N[],
  client: FunctionClient<C>,
): StartedFunction<N> {
  const all = new Set<N | C | AlwaysNeeded>(['tables', 'telemetry', ...client.needs, ...needs])
  const config = readProcessConfig([...all])
  const clock = systemClock()
  const { callLogSampling: callSampling, stage } = config.telemetry
  const write = (line: string) => process.stdout.write(line)
  const log = makeJsonLog({ write, clock, metrics: { stage, door }, callSampling })
  const store = makeStore(client.open(config), {
    tables: config.tables,
    clock,
    onTrouble: (cause) => log.note('warn', 'store-trouble', {}, cause),
  })
  return { config, clock, log, store }
}
