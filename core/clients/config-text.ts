/** Writes the entry of a server as the text that a person pastes into a client's file. */
import type { ClientForm } from './forms.ts'
import type { Server } from './server-entry.ts'

type Fields = { readonly [name: string]: unknown }

/** Returns the text in the format of the client's file, with the objects around the entry. */
export function writeConfigText(form: ClientForm, server: Server): string {
  const { entry, format, inputs, servers } = form
  const fields = entry(server)
  switch (format) {
    case 'toml':
      return writeToml([...servers, server.name], fields)
    case 'yaml':
      return writeYaml(nest([...servers, server.name], fields), '')
    case 'json': {
      const prompts = inputs !== undefined && server.auth.kind === 'variable' ? { inputs } : {}
      return JSON.stringify({ ...nest([...servers, server.name], fields), ...prompts }, null, 2)
    }
    default:
      return format satisfies never
  }
}

function nest(path: readonly string[], value: Fields): Fields {
  return path.reduceRight<Fields>((inner, name) => ({ [name]: inner }), value)
}

/** A JSON string is a TOML string, too. Objects in the entry are inline tables. */
function writeToml(path: readonly string[], fields: Fields): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name} = ${toTomlValue(value)}`)
  return [`[${path.join('.')}]`, ...lines].join('\n')
}

function toTomlValue(value: unknown): string {
  if (!isFields(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, inner]) => `${name} = ${toTomlValue(inner)}`)
  return `{ ${members.join(', ')} }`
}

/** A JSON value is a YAML value, too. */
function writeYaml(fields: Fields, indent: string): string {
  return Object.entries(fields)
    .map(([name, value]) =>
      isFields(value)
        ? `${indent}${name}:\n${writeYaml(value, `${indent}  `)}`
        : `${indent}${name}: ${JSON.stringify(value)}`,
    )
    .join('\n')
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
