/** Waits until something holds, some seconds at most; says whether it does. */
export const until = async (holds: () => boolean, seconds = 2): Promise<boolean> => {
	for (let look = 0; look < seconds * 500 && !holds(); look++) await new Promise((resolve) => setTimeout(resolve, 2));
	return holds();
};
