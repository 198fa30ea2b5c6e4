/** A port whose adapter is loaded with the first use of it (load-once.ts). Only for ports that answer promises alone. */
type Late<P> = {
  readonly [Method in keyof P]: P[Method] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Promise<Answer>
    : never
}

/** What the language asks of any object, and no port has as a method: `await` asks for `then`, `JSON.stringify` for `toJSON`. */
const ASKED_OF_ANY: ReadonlySet<string> = new Set(['then', 'toJSON'])

type Loaded = { readonly [method: string]: (...args: unknown[]) => Promise<unknown> }

export function latePort<P extends Late<P>>(load: () => Promise<P>): P {
  const call =
    (method: string) =>
    async (...args: unknown[]) =>
      // As the type of `P` says; a proxy has names for methods and no types.
      ((await load()) as unknown as Loaded)[method]?.(...args)
  return new Proxy({} as P, {
    get: (target, name) =>
      typeof name !== 'string' || name in target || ASKED_OF_ANY.has(name)
        ? Reflect.get(target, name)
        : call(name),
  })
}
