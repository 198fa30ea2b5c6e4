/** In-memory twin of the port Archive. */
import type { Archive } from '../../core/ports/usage.ts'

export function memoryArchive(): Archive {
  const objects = new Map<string, string>()
  return {
    put: async ({ name, text }) => {
      if (!objects.has(name)) objects.set(name, text)
    },
    list: async (prefix) => [...objects.keys()].filter((name) => name.startsWith(prefix)).sort(),
    read: async (name) => objects.get(name),
    remove: async (name) => {
      objects.delete(name)
    },
  }
}
