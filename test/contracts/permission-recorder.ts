/**
 * Watches which requests leave while each method of the store ports runs, so that what adapters say
 * they permission (adapters/dynamodb/permissions.ts) can be compared with what they do. Work that goes on
 * behind a method (tails, clean-ups) belongs to the method that started it. Changes no request.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Permission } from '../../adapters/dynamodb/permissions.ts'
import type { StorePorts } from '../../core/ports.ts'
import { type RequestKeys, requestKeys } from './request-keys.ts'

/** One action of one request, with the beginnings of all partition keys that it named at once. */
export type UsedPermission = {
  readonly table: string
  readonly action: string
  readonly keyPrefixes: readonly string[]
  readonly attributes?: readonly string[]
}

export type PermissionRecorder = {
  /** From now on each request of this client is noted. */
  watch(client: DynamoDBClient): void
  /** The same ports, whose methods are told apart. */
  named(ports: StorePorts): StorePorts
  /** By `port.method`; what no method started is under {@link NOBODY}. */
  seenBy(method: string): readonly UsedPermission[]
}

export const NOBODY = 'nobody'

/** `tables`: deployed name → ours. `prefixes`: the beginnings that are known; other keys stay whole. */
export function permissionRecorder(
  tables: { readonly [deployed: string]: Permission['table'] },
  prefixes: readonly string[],
): PermissionRecorder {
  const running = new AsyncLocalStorage<string>()
  const seen = new Map<string, Map<string, UsedPermission>>()
  const note = ({ keys, ...request }: RequestKeys) => {
    const method = running.getStore() ?? NOBODY
    const keyPrefixes = [...new Set(keys.map((key) => prefixOf(key, prefixes)))].sort()
    const permission = { ...request, table: tables[request.table] ?? request.table, keyPrefixes }
    const before = seen.get(method) ?? new Map<string, UsedPermission>()
    seen.set(method, before.set(JSON.stringify(permission), permission))
  }
  return {
    watch(client) {
      client.middlewareStack.add(
        (next, { commandName }) =>
          (args) => {
            for (const keys of requestKeys(String(commandName), args.input)) note(keys)
            return next(args)
          },
        // After the document client has put values into wire form.
        { step: 'build', name: 'permission-recorder' },
      )
    },
    named: (ports) =>
      new Proxy(ports, {
        get: (target, port) => namedPort(running, String(port), Reflect.get(target, port)),
      }),
    seenBy: (method) => [...(seen.get(method)?.values() ?? [])],
  }
}

/** A whole key that is known as such, else the longest beginning. */
function prefixOf(key: string, prefixes: readonly string[]): string {
  if (prefixes.includes(key)) return key
  const fitting = prefixes.filter((prefix) => prefix.endsWith(':') && key.startsWith(prefix))
  return fitting.sort((a, b) => b.length - a.length)[0] ?? key
}

function namedPort<Port extends object>(
  running: AsyncLocalStorage<string>,
  port: string,
  methods: Port,
): Port {
  return new Proxy(methods, {
    get(target, method) {
      const run: unknown = Reflect.get(target, method)
      if (typeof run !== 'function') return run
      const name = `${port}.${String(method)}`
      return (...args: unknown[]) =>
        iteratedAs(running, name, () => Reflect.apply(run, target, args))
    },
  })
}

/** A generator's body runs inside whoever asks for its next value, so that is named too. */
function iteratedAs(
  running: AsyncLocalStorage<string>,
  name: string,
  work: () => unknown,
): unknown {
  const answer = running.run(name, work)
  if (!isAsyncIterable(answer)) return answer
  return {
    [Symbol.asyncIterator]() {
      const iterator = answer[Symbol.asyncIterator]()
      return {
        next: () => running.run(name, () => iterator.next()),
        return: () => running.run(name, async () => (await iterator.return?.()) ?? DONE),
      }
    },
  }
}

const DONE = { done: true, value: undefined } as const

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
