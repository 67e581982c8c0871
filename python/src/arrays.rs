//! Between NumPy's arrays and the library's matrices.

use ketbra::numeric::{Matrix, c64};
use numpy::ndarray::{ArrayView2, ShapeBuilder};
use numpy::{Complex64, PyArray1, PyArray2, PyArrayMethods};
use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;

/// A matrix as a read-only array without a copy: `owner` keeps it alive.
///
/// # Safety
/// `matrix` must lie in `owner`, which must never change or move it: a frozen class that holds it behind an [`Arc`](std::sync::Arc).
pub unsafe fn view<'py>(matrix: &Matrix, owner: Bound<'py, PyAny>) -> Bound<'py, PyArray2<f64>> {
    // SAFETY: the caller sees to it that the numbers stay where they are for as long as the owner lives.
    let array = unsafe { PyArray2::borrow_from_array(&column_major(matrix), owner) };
    array.readwrite().make_nonwriteable();
    array
}

/// A matrix that an object of Python holds, as a read-only array without a copy.
pub fn held<'py, C>(this: &Bound<'py, C>, of: impl FnOnce(&C) -> Option<&Matrix>) -> Option<Bound<'py, PyArray2<f64>>>
where
    C: PyClass<Frozen = True> + Sync,
{
    let matrix = of(this.get())?;
    // SAFETY: the matrix lies in an object of a frozen class, which keeps it where it is for as long as the array needs it.
    Some(unsafe { view(matrix, this.clone().into_any()) })
}

/// Numbers as a read-only array that owns them.
pub fn numbers<'py>(py: Python<'py>, values: Vec<f64>) -> Bound<'py, PyArray1<f64>> {
    let array = PyArray1::from_vec(py, values);
    array.readwrite().make_nonwriteable();
    array
}

/// Eigenvalues as a read-only array of complex numbers.
pub fn complex<'py>(py: Python<'py>, values: impl Iterator<Item = c64>) -> Bound<'py, PyArray1<Complex64>> {
    let array = PyArray1::from_vec(py, values.map(|z| Complex64::new(z.re, z.im)).collect());
    array.readwrite().make_nonwriteable();
    array
}

/// A matrix as ndarray sees it.
pub fn column_major(matrix: &Matrix) -> ArrayView2<'_, f64> {
    let shape = (matrix.nrows(), matrix.ncols()).strides((1, matrix.col_stride().unsigned_abs()));
    // SAFETY: the library's matrices are column-major with this distance between columns, and outlive the view.
    unsafe { ArrayView2::from_shape_ptr(shape, matrix.as_ptr()) }
}

/// A matrix from an array of any strides.
pub fn matrix(array: ArrayView2<'_, f64>) -> Matrix {
    Matrix::from_fn(array.nrows(), array.ncols(), |i, j| array[(i, j)])
}
