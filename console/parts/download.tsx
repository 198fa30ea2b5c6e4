/** Gives a person a text as a file. The file is made in the page: no other origin, no new window. */
import { Action } from './action.tsx'

/** How long the address of a file stays; the browser has begun to save it by then. */
const KEPT_MS = 60_000

/** `make`: the text of the file, when the person asks for it. */
export function DownloadCsv({
  label = 'Download CSV',
  make,
  name,
}: {
  label?: string
  make: () => string | Promise<string>
  name: string
}) {
  return <Action label={label} onDo={async () => saveText(name, await make())} />
}

function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS)
}
