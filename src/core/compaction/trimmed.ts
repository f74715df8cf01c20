/** What a report says of messages of the user that had to go; where a session puts them back, it is said no more. */

/** One line for each that is not 0. */
export function trimmedRemarks({
  all,
  out,
  cut,
}: {
  readonly all: number;
  readonly out: number;
  readonly cut: number;
}) {
  return [
    ...(out === 0 ? [] : [`${out} of the user's ${all} messages left out to save room`]),
    ...(cut === 0 ? [] : [`${cut} of the user's ${all} messages cut in the middle to save room`]),
  ];
}

const TRIMMED = /^\d+ of the user's \d+ messages (?:left out|cut in the middle) to save room$/;

export function isTrimmedRemark(remark: string): boolean {
  return TRIMMED.test(remark);
}
