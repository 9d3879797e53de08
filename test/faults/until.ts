/** Waits, two seconds at most, until something holds; says whether it does. */
export const until = async (holds: () => boolean): Promise<boolean> => {
	for (let look = 0; look < 1000 && !holds(); look++) await new Promise((resolve) => setTimeout(resolve, 2));
	return holds();
};
