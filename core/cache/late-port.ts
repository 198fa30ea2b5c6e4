/** A port whose adapter is loaded with the first use of it (load-once.ts). Only for ports that answer promises alone. */
type Late<P> = {
  readonly [Method in keyof P]: P[Method] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Promise<Answer>
    : never
}

type Loaded = { readonly [method: string]: (...args: unknown[]) => Promise<unknown> }

export function latePort<P extends Late<P>>(load: () => Promise<P>): P {
  const call =
    (method: string) =>
    async (...args: unknown[]) =>
      // As the type of `P` says; a proxy has names for methods and no types.
      ((await load()) as unknown as Loaded)[method]?.(...args)
  return new Proxy({} as P, {
    get: (_, method) => (typeof method === 'string' ? call(method) : undefined),
  })
}
