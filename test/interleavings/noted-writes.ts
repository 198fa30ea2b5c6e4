/** Which writing methods of the store's ports the scenarios of this process have called. */
import { STORE_PERMISSIONS } from '../../adapters/dynamodb/permissions.ts'
import type { StorePorts } from '../../core/ports/ports.ts'

const WRITES: readonly string[] = ['PutItem', 'UpdateItem', 'DeleteItem']

/** `port.method` of each method whose permission names a write. */
export const WRITING_METHODS: readonly string[] = Object.entries(STORE_PERMISSIONS).flatMap(
  ([port, methods]) =>
    Object.entries(methods).flatMap(([method, permissions]) =>
      permissions.some(({ actions }) => actions.some((action) => WRITES.includes(action)))
        ? `${port}.${method}`
        : [],
    ),
)

export const calledMethods = new Set<string>()

export function notingWrites(ports: StorePorts): StorePorts {
  const noted = Object.entries(ports).map(([port, methods]) => [port, noting(port, methods)])
  return Object.fromEntries(noted)
}

function noting(port: string, methods: object): object {
  const noted: Record<string, unknown> = { ...methods }
  for (const [method, run] of Object.entries(methods)) {
    const name = `${port}.${method}`
    if (!WRITING_METHODS.includes(name)) continue
    noted[method] = (...of: unknown[]) => {
      calledMethods.add(name)
      return run.apply(methods, of)
    }
  }
  return noted
}
