/** Tells media types of data, such as PDF, images and archives, from those of text and streams. */

const TEXTUAL = /json|xml|yaml|javascript|graphql|x-www-form-urlencoded|event-stream|grpc|\*/i
const DATA = /^(?:application|audio|font|image|model|video)\//i

/** True for a type without parameters whose bytes are no text, or are sent as they are. */
export function isDataType(type: string): boolean {
  return /^image\//i.test(type) ? type !== 'image/svg+xml' : DATA.test(type) && !TEXTUAL.test(type)
}
