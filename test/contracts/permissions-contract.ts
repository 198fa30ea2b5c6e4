/**
 * What the adapters say they touch is what they did while the contract suites ran: nothing else, and
 * all of it. Comes after those suites, in the same file and over the same recorder.
 */
import { describe, expect, test } from 'vitest'
import { STORE_TOUCHES, type Touch } from '../../adapters/dynamodb/permissions.ts'
import { NOBODY, type SeenTouch, type TouchRecorder } from './permission-recorder.ts'

type Declared = { readonly [method: string]: readonly Touch[] }

const METHODS = Object.entries<Declared>(STORE_TOUCHES).flatMap(([port, methods]) =>
  Object.entries(methods).map(([method, touches]) => ({ method: `${port}.${method}`, touches })),
)

/** Beginnings of partition keys that any adapter names. */
export const DECLARED_PREFIXES = [
  ...new Set(METHODS.flatMap(({ touches }) => touches.flatMap(({ keyPrefixes }) => keyPrefixes))),
]

export function describeTouches(name: string, recorder: TouchRecorder): void {
  describe(`${name}: what the methods of the ports touched`, () => {
    test.each(METHODS)('$method touched what it says, all of it', ({ method, touches }) => {
      const seen = recorder.seenBy(method)
      expect(pairsOf(seen.map((one) => ({ ...one, actions: [one.action] })))).toEqual(
        pairsOf(touches),
      )
    })

    // A batch, or a transaction, must find all of its keys in one statement of a policy.
    test.each(METHODS)('$method named no keys together that it says apart', (what) => {
      const apart = recorder
        .seenBy(what.method)
        .filter((seen) => !what.touches.some((touch) => covers(touch, seen)))
      expect(apart).toEqual([])
    })

    test('no request was left that no method of a port started', () => {
      expect(recorder.seenBy(NOBODY)).toEqual([])
    })
  })
}

type Pairs = {
  readonly table: string
  readonly actions: readonly string[]
  readonly keyPrefixes: readonly string[]
}

/** `gateway PutItem profile:`, each once, in order. */
function pairsOf(touches: readonly Pairs[]): readonly string[] {
  const pairs = touches.flatMap(({ table, actions, keyPrefixes }) =>
    actions.flatMap((action) =>
      // A scan names no keys.
      (action === 'Scan' ? ['*'] : keyPrefixes).map((prefix) => `${table} ${action} ${prefix}`),
    ),
  )
  return [...new Set(pairs)].sort()
}

/** Attributes are held to exactly: one that no update names would be a grant without a use. */
function same(declared: readonly string[], seen: readonly string[]): boolean {
  return JSON.stringify([...declared].sort()) === JSON.stringify([...seen].sort())
}

function covers(touch: Touch, seen: SeenTouch): boolean {
  return (
    touch.table === seen.table &&
    touch.actions.some((action) => action === seen.action) &&
    seen.keyPrefixes.every((prefix) => touch.keyPrefixes.includes(prefix)) &&
    (touch.attributes === undefined || same(touch.attributes, seen.attributes ?? []))
  )
}
