/**
 * The options of curl: what each says of a request, which ones change nothing of it, and which ones
 * no skill can do.
 */
import { toUsageFault } from '../../terminal/exit-code.ts'

export type CurlPair = readonly [name: string, value: string]

export type CurlPart = {
  readonly name: string
  readonly value: string
  /** True if curl would read the value from a file of this name. */
  readonly isFile: boolean
  readonly contentType?: string
}

/** A request while its options are read. */
export type CurlDraft = {
  urls: string[]
  method: string | undefined
  headers: CurlPair[]
  data: string[]
  isDataFile: boolean
  isJson: boolean
  isGet: boolean
  parts: CurlPart[]
  user: string | undefined
  bearer: string | undefined
  cookies: string | undefined
}

type Option = (draft: CurlDraft, value: string) => void

const addData =
  (prepare: (value: string) => string = (value) => value): Option =>
  (draft, value) => {
    if (value.startsWith('@')) {
      throw toUsageFault(
        `curl reads the body from the file ${value.slice(1)}.`,
        "Paste the line with the body itself: -d '{…}'.",
      )
    }
    draft.data.push(prepare(value))
  }

const addBinary: Option = (draft, value) => {
  if (value.startsWith('@')) draft.isDataFile = true
  else draft.data.push(value)
}

/** `name=value`, `=value` or `value`; the value is encoded. */
function encodeValue(text: string): string {
  const at = text.indexOf('=')
  const [name, value] = at === -1 ? ['', text] : [text.slice(0, at), text.slice(at + 1)]
  return name === '' ? encodeURIComponent(value) : `${name}=${encodeURIComponent(value)}`
}

function addHeader(draft: CurlDraft, value: string): void {
  const [, name = '', text = ''] = /^([^:;]+)[:;]\s*(.*)$/s.exec(value) ?? []
  if (name === '') throw toUsageFault(`The header ${value} is not name: value.`)
  if (/^cookie$/i.test(name)) draft.cookies = text
  else if (text !== '') draft.headers.push([name.trim(), text.trim()])
}

function addPart(draft: CurlDraft, value: string): void {
  const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(value) ?? []
  if (name === '') throw toUsageFault(`The part ${value} is not name=value.`)
  const [content = '', ...settings] = text.split(';')
  const contentType = settings.find((one) => one.startsWith('type='))?.slice('type='.length)
  const isFile = /^[@<]/.test(content)
  const part = { name, isFile, ...(contentType === undefined ? {} : { contentType }) }
  draft.parts.push({
    ...part,
    value: isFile ? content.slice(1) : contentType === undefined ? text : content,
  })
}

const asJson: Option = (draft, value) => {
  addData()(draft, value)
  draft.isJson = true
}

export const OPTIONS: ReadonlyMap<string, Option> = new Map<string, Option>([
  ...toEntries(['-X', '--request'], (draft, value) => {
    draft.method = value
  }),
  ...toEntries(['-H', '--header'], addHeader),
  ...toEntries(['-d', '--data', '--data-ascii'], addData()),
  ...toEntries(['--data-raw'], (draft, value) => draft.data.push(value)),
  ...toEntries(['--data-binary'], addBinary),
  ...toEntries(['--data-urlencode'], addData(encodeValue)),
  ...toEntries(['--json'], asJson),
  ...toEntries(['-F', '--form', '--form-string'], addPart),
  ...toEntries(['-u', '--user'], (draft, value) => {
    draft.user = value
  }),
  ...toEntries(['--oauth2-bearer'], (draft, value) => {
    draft.bearer = value
  }),
  ...toEntries(['-b', '--cookie'], (draft, value) => {
    if (!value.includes('=')) {
      throw toUsageFault(`curl reads cookies from the file ${value}.`, 'Write -b name=value.')
    }
    draft.cookies = value
  }),
  ...toEntries(['-A', '--user-agent'], (draft, value) => draft.headers.push(['User-Agent', value])),
  ...toEntries(['-e', '--referer'], (draft, value) => draft.headers.push(['Referer', value])),
  ...toEntries(['--url'], (draft, value) => draft.urls.push(value)),
  ...toEntries(['-T', '--upload-file'], (draft) => {
    draft.isDataFile = true
    draft.method ??= 'PUT'
  }),
])

export const FLAGS: ReadonlyMap<string, Option> = new Map<string, Option>([
  ...toEntries(['-G', '--get'], (draft) => {
    draft.isGet = true
  }),
  ...toEntries(['-I', '--head'], (draft) => {
    draft.method ??= 'HEAD'
  }),
])

/** Options without a value that change nothing of the request. */
export const IGNORED = new Set(
  (
    '-s --silent -S --show-error -L --location -i --include --show-headers -v --verbose -f --fail --fail-with-body -g --globoff ' +
    '-# --progress-bar -N --no-buffer -O --remote-name -J --compressed --http1.1 --http2 --http3 ' +
    '-0 -1 -4 -6 --no-progress-meter --tlsv1.2 --tlsv1.3 --no-keepalive --location-trusted --raw -q'
  ).split(' '),
)

/** The same with a value. */
export const IGNORED_VALUES = new Set(
  (
    '-o --output -w --write-out -m --max-time --connect-timeout --retry --retry-delay --max-redirs ' +
    '-D --dump-header --limit-rate -c --cookie-jar --trace-ascii --stderr --retry-max-time'
  ).split(' '),
)

export const REFUSED: ReadonlyMap<string, string> = new Map([
  ...toReasons(['-k', '--insecure'], 'the gateway always checks certificates.'),
  ...toReasons(['-x', '--proxy'], 'the gateway calls without a proxy.'),
  ...toReasons(['-E', '--cert', '--key', '--cacert'], 'a skill has no client certificates.'),
  ...toReasons(['--aws-sigv4'], 'write config.auth of type sigv4 (docs/skills.md, AWS APIs).'),
  ...toReasons(['--digest', '--ntlm', '--negotiate'], 'the gateway has no such authentication.'),
  ...toReasons(['-K', '--config', '-n', '--netrc'], 'paste the whole request instead of a file.'),
  ...toReasons(['--resolve', '--unix-socket', '--interface'], 'a skill calls a public host.'),
  ...toReasons(['-Z', '--parallel', '--next', '-:'], 'paste one request at a time.'),
])

function toEntries(
  names: readonly string[],
  option: Option,
): readonly (readonly [string, Option])[] {
  return names.map((name): readonly [string, Option] => [name, option])
}

function toReasons(
  names: readonly string[],
  reason: string,
): readonly (readonly [string, string])[] {
  return names.map((name): readonly [string, string] => [name, reason])
}
