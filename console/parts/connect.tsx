/** What a person pastes so that an MCP client reaches the gateway: one client at a time. */
import { useSignal } from '@preact/signals'
import { writeConfigText } from '../../core/clients/config-text.ts'
import { CLIENT_FORMS, type ClientForm } from '../../core/clients/forms.ts'
import type { Auth } from '../../core/clients/server-entry.ts'
import { writeShellLine } from '../../core/json/shell-line.ts'
import { Choice } from './form.tsx'
import { Block, CopyButton } from './text.tsx'

const FORMS: readonly (readonly [id: string, form: ClientForm])[] = Object.entries(CLIENT_FORMS)
/** Stands for a key that the page does not know. */
const UNKNOWN_KEY = 'YOUR_KEY'
const VARIABLE: Auth = { kind: 'variable' }

/**
 * Lines and links that connect a client to `mcpUrl`. Without `apiKey` they name the variable
 * SKILLGATE_KEY, or YOUR_KEY in a client that expands no variables.
 */
export function ConnectLines({ mcpUrl, apiKey }: { mcpUrl: string; apiKey?: string | undefined }) {
  const id = useSignal('claude-code')
  const form = FORMS.find(([known]) => known === id.value)?.[1]
  if (form === undefined) return null
  const server = { name: 'skillgate', url: mcpUrl, auth: toAuth(form, apiKey) }
  const text =
    form.command === undefined
      ? writeConfigText(form, server)
      : writeShellLine([form.command.program, ...form.command.add(server, 'user')])
  return (
    <div class="connect">
      <Choice
        label="Client"
        value={id.value}
        options={FORMS.map(([known, { title }]) => [known, title])}
        onChange={(chosen) => {
          id.value = chosen
        }}
      />
      {form.link !== undefined && (
        <InstallLink form={form} href={form.link({ ...server, auth: VARIABLE }, btoa)} />
      )}
      {form.command === undefined ? (
        <p>
          Add this to <code>{form.file}</code>
          {form.file.startsWith('~/.config/') &&
            ', or where the client keeps its file on your system'}
          :
        </p>
      ) : (
        <p>Run this in a terminal:</p>
      )}
      <Block label={`Lines for ${form.title}`} text={text} />
      <CopyButton text={text} label="Copy the lines" />
      <p>{form.reload}</p>
      {server.auth.kind === 'variable' && form.inputs === undefined && (
        <p>
          The client reads your key from the variable <code>SKILLGATE_KEY</code>; set it where the
          client starts.
        </p>
      )}
    </div>
  )
}

/**
 * The operating system passes a link to the client as an argument, which other programs can read.
 * So its entry has the variable in place of the key.
 */
function InstallLink({ form, href }: { form: ClientForm; href: string }) {
  return (
    <p>
      <a class="button" href={href}>{`Add to ${form.title}`}</a>{' '}
      {form.inputs === undefined
        ? 'Then put your key in place of the variable. Or:'
        : `${form.title} asks for your key. Or:`}
    </p>
  )
}

function toAuth({ hasVariables }: ClientForm, apiKey: string | undefined): Auth {
  if (apiKey !== undefined) return { kind: 'key', key: apiKey }
  return hasVariables ? VARIABLE : { kind: 'key', key: UNKNOWN_KEY }
}
