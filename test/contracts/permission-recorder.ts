/**
 * Watches which requests leave while each method of the store ports runs, so that the permissions
 * that adapters declare (adapters/dynamodb/permissions.ts) can be compared with the requests that
 * they send. Work that outlasts a method (tails, clean-ups) belongs to the method that started it.
 * Changes no request.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Permission } from '../../adapters/dynamodb/permissions.ts'
import type { StorePorts } from '../../core/ports/ports.ts'
import type { SentRequest as WireRequest } from '../adapters/dynamodb/store-clients.ts'
import { type RequestKeys, requestKeys } from './request-keys.ts'

/** One action of one request, with the beginnings of all partition keys that it named at once. */
export type UsedPermission = {
  readonly table: string
  readonly action: string
  readonly keyPrefixes: readonly string[]
  readonly attributes?: readonly string[]
}

export type PermissionRecorder = {
  /** Records one request as it leaves. */
  record(request: WireRequest): void
  /** The same ports, with the method that runs known to the recorder. */
  named(ports: StorePorts): StorePorts
  /** Requests by `port.method`; those that no method started are under {@link NOBODY}. */
  seenBy(method: string): readonly UsedPermission[]
}

export const NOBODY = 'nobody'

/** A request in wire form, and the `port.method` that sent it. */
export type SentRequest = WireRequest & { readonly method: string }

/**
 * `tables`: deployed name → ours. `prefixes`: known beginnings of keys; other keys stay whole. `onRequest` gets
 * every request as it leaves.
 */
export function permissionRecorder(
  tables: { readonly [deployed: string]: Permission['table'] },
  prefixes: readonly string[],
  onRequest: (sent: SentRequest) => void = () => {},
): PermissionRecorder {
  const running = new AsyncLocalStorage<string>()
  const used = new Map<string, Map<string, UsedPermission>>()
  const note = ({ keys, ...request }: RequestKeys) => {
    const method = running.getStore() ?? NOBODY
    const keyPrefixes = [...new Set(keys.map((key) => prefixOf(key, prefixes)))].sort()
    const permission = { ...request, table: tables[request.table] ?? request.table, keyPrefixes }
    const before = used.get(method) ?? new Map<string, UsedPermission>()
    used.set(method, before.set(JSON.stringify(permission), permission))
  }
  return {
    record: (request) => {
      for (const keys of requestKeys(request.operation, request.input)) note(keys)
      onRequest({ method: running.getStore() ?? NOBODY, ...request })
    },
    named: (ports) =>
      new Proxy(ports, {
        get: (target, port) => namedPort(running, String(port), Reflect.get(target, port)),
      }),
    seenBy: (method) => [...(used.get(method)?.values() ?? [])],
  }
}

/** The whole key if it is a known one, else its longest known beginning. */
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

/** A generator's body runs inside the caller of `next`, so the method is noted there, too. */
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
