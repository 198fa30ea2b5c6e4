/**
 * A port whose adapter is loaded at the first call of a method (load-once.ts). Only ports whose
 * methods all return promises can be loaded late.
 */
type PromisePort<P> = {
  readonly [Method in keyof P]: P[Method] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Promise<Answer>
    : never
}

/** `await` reads `then` of any object, and `JSON.stringify` reads `toJSON`. No port has them. */
const READ_OF_ANY_OBJECT: ReadonlySet<string> = new Set(['then', 'toJSON'])

type Loaded = { readonly [method: string]: (...args: unknown[]) => Promise<unknown> }

/** Returns a port whose methods call `load` first and then the loaded port. */
export function makeLatePort<P extends PromisePort<P>>(load: () => Promise<P>): P {
  const call =
    (method: string) =>
    async (...args: unknown[]) =>
      // The type of `P` ensures the method; a proxy sees only its name.
      ((await load()) as unknown as Loaded)[method]?.(...args)
  return new Proxy({} as P, {
    get: (target, name) =>
      typeof name !== 'string' || name in target || READ_OF_ANY_OBJECT.has(name)
        ? Reflect.get(target, name)
        : call(name),
  })
}
